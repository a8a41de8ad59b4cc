// What simdjson takes to read the same records: every field, summed. simdjson_sum FILE.
#include <cstdio>
#include <simdjson.h>

using namespace simdjson;

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    padded_string text;
    if (padded_string::load(argv[1]).get(text) != SUCCESS)
        return 1;
    ondemand::parser parser;
    ondemand::document_stream lines;
    if (parser.iterate_many(text).get(lines) != SUCCESS)
        return 1;
    static const char *const times[] = {"t", "data", "forward", "backward", "sync", "optimizer"};
    double sum = 0;
    long records = 0;
    for (auto line : lines) {
        int64_t rank, step;
        if (line["rank"].get(rank) != SUCCESS || line["step"].get(step) != SUCCESS)
            continue;
        for (const char *time : times) {
            double value;
            if (line[time].get(value) == SUCCESS)
                sum += value;
        }
        records++;
    }
    std::printf("%ld %g\n", records, sum);
    return 0;
}
