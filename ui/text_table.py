#!/usr/bin/env python3
"""Writes ui/text_table.def: which code points a terminal may get, and how wide
they are. Run by hand when a newer Unicode is wanted:

    python3 ui/text_table.py > ui/text_table.def

Left out, hence shown as U+FFFD: controls, format characters, surrogates,
private use, what is unassigned or default-ignorable, and the scripts of plane 1
that no log holds."""

import unicodedata

# Default_Ignorable_Code_Point, where the general category does not say it.
IGNORABLE = (
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0}
    | set(range(0x180B, 0x1810))
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0000, 0xE1000))
)
PLANE_1 = (range(0x1D400, 0x1D800), range(0x1F000, 0x1FC00))  # mathematics, emoji


def columns(code):
    """0 for a mark, 1, 2, or None for what is left out."""
    if code in IGNORABLE or (0x10000 <= code < 0x20000 and not any(code in r for r in PLANE_1)):
        return None
    category = unicodedata.category(chr(code))
    if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return None
    if category in ("Mn", "Me") or 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF:
        return 0
    return 2 if unicodedata.east_asian_width(chr(code)) in "WF" else 1


def ranges():
    found = []
    for code in range(0x80, 0x110000):
        width = columns(code)
        if width is None:
            continue
        if found and found[-1][1] == code - 1 and found[-1][2] == width:
            found[-1][1] = code
        else:
            found.append([code, code, width])
    return found


def main():
    print("/* Made by text_table.py from Unicode %s: first, last, columns. */" % unicodedata.unidata_version)
    line = ""
    for first, last, width in ranges():
        row = "{0x%X,0x%X,%d}," % (first, last, width)
        if len(line) + len(row) > 100:
            print(line)
            line = ""
        line += row
    print(line)


if __name__ == "__main__":
    main()
