/* A matcher for the programs that tools/generate_kernel_tables.py makes of the patterns of the rows. It tries
 * alternatives in order and goes back like `re`; the patterns read a bounded number of characters. */
#include "shape.h"

static int holds(const shape_class *kind, const byte *t)
{
    if (!is_wide(t[0])) return (int)(kind->ascii[t[0] >> 6] >> (t[0] & 63) & 1);
    uint32_t point = point_at(t);
    for (unsigned i = 0; i < kind->count; ++i) {
        const uint32_t *range = SHAPE_RANGES[kind->first + i];
        if (point >= range[0] && point <= range[1]) return 1;
    }
    return 0;
}

static int matches(const uint16_t *code, const byte *text, size_t offset, size_t end, size_t *reached)
{
    for (;;) {
        switch (*code) {
        case OP_MATCH: *reached = offset; return 1;
        case OP_CLASS:
            if (offset >= end || !holds(&SHAPE_CLASSES[code[1]], text + offset)) return 0;
            offset += width(text[offset]);
            code += 2;
            break;
        case OP_RUN:
        case OP_WHOLE_RUN: {
            const shape_class *kind = &SHAPE_CLASSES[code[1]];
            unsigned least = code[2], most = code[3], count = 0;
            while (count < most && offset < end && holds(kind, text + offset)) {
                offset += width(text[offset]);
                ++count;
            }
            if (count < least) return 0;
            if (*code == OP_RUN)
                for (; count > least; --count) {
                    if (matches(code + 4, text, offset, end, reached)) return 1;
                    offset = before(text, offset);
                }
            code += 4;
            break;
        }
        case OP_SPLIT:
            if (matches(code + 2, text, offset, end, reached)) return 1;
            code += 2 + code[1];
            break;
        case OP_JUMP: code += 2 + code[1]; break;
        case OP_AHEAD:
        case OP_NOT_AHEAD:
            if (matches(code + 2, text, offset, end, reached) != (*code == OP_AHEAD)) return 0;
            code += 2 + code[1];
            break;
        default: return 0;
        }
    }
}

int has_shape(unsigned shape, const byte *text, size_t offset, size_t end)
{
    size_t reached;
    return matches(SHAPE_CODE + shape, text, offset, end, &reached);
}

size_t after_escape(const byte *text, size_t offset, size_t end)
{
    size_t reached = offset;
    return matches(SHAPE_CODE + ESCAPE_SEQUENCE, text, offset, end, &reached) ? reached : offset;
}
