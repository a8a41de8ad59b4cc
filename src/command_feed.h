/* The command `lockstep feed`. */
#pragma once

/* argv[0] is "feed". Returns the exit status; a signal that stopped it is
 * raised again before it returns. */
int command_feed(int argc, char **argv);
