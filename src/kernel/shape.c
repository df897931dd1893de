/* A matcher for the programs that tools/generate_kernel_tables.py makes of the patterns of the rows. It tries
 * alternatives in order and goes back like `re`. Shapes read a bounded number of characters; what matches whole texts
 * gives up after so many tries, and before it takes too much of the stack of a thread. */
#include "shape.h"
#include <limits.h>

#define MOST_TRIES 4096u
#define DEEPEST 128u

typedef struct {
    const byte *text;
    size_t end;
    unsigned tries, depth; /* what is left of them */
} matcher;

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

static int runs(matcher *in, const uint16_t *code, size_t offset, size_t *reached);

/* Try a program at an offset; a matcher that has given up matches nothing any more. */
static int matches(matcher *in, const uint16_t *code, size_t offset, size_t *reached)
{
    if (in->tries == 0 || in->depth == 0) {
        in->tries = 0;
        return 0;
    }
    --in->tries;
    --in->depth;
    int matched = runs(in, code, offset, reached);
    ++in->depth;
    return matched;
}

static int runs(matcher *in, const uint16_t *code, size_t offset, size_t *reached)
{
    const byte *text = in->text;
    size_t end = in->end;
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
                    if (matches(in, code + 4, offset, reached)) return 1;
                    offset = before(text, offset);
                }
            code += 4;
            break;
        }
        case OP_SPLIT:
            if (matches(in, code + 2, offset, reached)) return 1;
            code += 2 + code[1];
            break;
        case OP_JUMP: code += 2 + code[1]; break;
        case OP_BACK: code -= code[1]; break;
        case OP_AHEAD:
        case OP_NOT_AHEAD: {
            size_t ahead;
            if (matches(in, code + 2, offset, &ahead) != (*code == OP_AHEAD)) return 0;
            code += 2 + code[1];
            break;
        }
        case OP_ATOMIC:
            if (!matches(in, code + 2, offset, &offset)) return 0;
            code += 2 + code[1];
            break;
        case OP_EACH:
            for (size_t from = end + 1; from != offset;) {
                from = offset;
                if (!matches(in, code + 2, offset, &offset)) break;
            }
            code += 2 + code[1];
            break;
        case OP_END:
            if (offset < end) return 0;
            ++code;
            break;
        default: return 0;
        }
    }
}

int has_shape(unsigned shape, const byte *text, size_t offset, size_t end)
{
    matcher in = {text, end, UINT_MAX, UINT_MAX};
    size_t reached;
    return matches(&in, SHAPE_CODE + shape, offset, &reached);
}

int is_whole(unsigned program, const byte *text, size_t size)
{
    matcher in = {text, size, MOST_TRIES, DEEPEST};
    size_t reached;
    return matches(&in, SHAPE_CODE + program, 0, &reached) && in.tries > 0;
}

size_t after_escape(const byte *text, size_t offset, size_t end)
{
    matcher in = {text, end, UINT_MAX, UINT_MAX};
    size_t reached = offset;
    return matches(&in, SHAPE_CODE + ESCAPE_SEQUENCE, offset, &reached) ? reached : offset;
}
