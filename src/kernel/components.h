/* The components of a canonical form (RFC 3986 3). */
#ifndef URISIEVE_COMPONENTS_H
#define URISIEVE_COMPONENTS_H
#include "text.h"

typedef enum {
    C_SCHEME, C_USERINFO, C_HOST, C_PORT, C_PATH, C_QUERY, C_FRAGMENT, COMPONENT_COUNT
} component_name;

/* A component; `text` is NULL if it is absent. */
typedef struct {
    const byte *text;
    size_t size;
} component;

/* Whether two texts are the same but for case. */
static inline int is_same_but_case(component one, component other)
{
    size_t i = 0;
    while (i < one.size && i < other.size && lower(one.text[i]) == lower(other.text[i])) ++i;
    return one.size == other.size && i == one.size;
}

/* Split a text that begins with a scheme, as `urisieve.syntax.components.split` does (RFC 3986 Appendix B). */
void split_components(component *to, const byte *uri, size_t size);

/* Whether `xn--` stands in a text, in any case. */
int has_a_label(component text);

/* The host alone. */
component host_in(const byte *uri, size_t size);

#endif
