/* Values of Python and those of the kernel, objects, and exceptions: what the files of the binding share. It is the
 * limited API of Python 3.11. */
#ifndef URISIEVE_VALUES_OBJECT_H
#define URISIEVE_VALUES_OBJECT_H
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "text.h"

/* The rows of the tables of methods, and of attributes that are only read; urisieve/_kernel.pyi says what they do. */
#define METHOD(name, function, how) {name, (PyCFunction)(void (*)(void))(function), how, NULL}
#define LISTED(name, function, how) METHOD(name, function, how),
#define ATTRIBUTE(name, function) {name, (getter)(void (*)(void))(function), NULL, NULL, NULL}
/* A number of type `size_t`, and a flag of type `int`, that are fields of the object. */
#define SIZE_FIELD(name, type, field) {name, size_at, NULL, NULL, (void *)offsetof(type, field)}
#define FLAG_FIELD(name, type, field) {name, flag_at, NULL, NULL, (void *)offsetof(type, field)}
/* The specification of a type of the module; slots follow the size of its objects and its flags. */
#define TYPE_SPEC(spec, name, object, flags, ...)                       \
    static PyType_Slot spec##_SLOTS[] = {__VA_ARGS__, {0, NULL}};       \
    PyType_Spec spec = {"urisieve._kernel." name, sizeof(object), 0, Py_TPFLAGS_DEFAULT | (flags), spec##_SLOTS}
PyObject *size_at(PyObject *object, void *offset);
PyObject *flag_at(PyObject *object, void *offset);

/* Make an object of a type, filled with zeros; and release the memory of one at its end. */
void *object_new(PyTypeObject *type);
void object_free(PyObject *object);

/* Define what releases an object, of which one field owns memory. */
#define DEALLOC(function, type, release, field)         \
    static void function(PyObject *object)              \
    {                                                   \
        release(&((type *)object)->field);              \
        object_free(object);                            \
    }

/* Let other threads run while an object is used that is marked as busy. */
#define BEGIN_BUSY(self) (self)->is_busy = 1; Py_BEGIN_ALLOW_THREADS
#define END_BUSY(self) Py_END_ALLOW_THREADS (self)->is_busy = 0;

/* Set an exception; return 0. */
int failed(PyObject *type, const char *message);
int no_memory(void);

/* Take a new object at the end of a list, or at an index of a list or a tuple that is still free. It may be NULL, after an
 * exception; then, or if it cannot be taken, the list is released, and is NULL. Nothing is taken into one that is NULL. */
void append_new(PyObject **list, PyObject *item);
void set_new(PyObject **into, size_t index, PyObject *item);

/* Let a slot refer to another object, or to none; returns what it referred to, which is to be released. */
PyObject *replaced_object(PyObject **slot, PyObject *value);

/* A string from UTF-8, in which lone surrogates may appear, and the items of an array as bytes. */
PyObject *string_of(const byte *text, size_t size);
PyObject *items_of(const void *items, size_t count, size_t size);

/* The UTF-8 of a string. */
typedef struct {
    const byte *at;
    size_t size;
    PyObject *held; /* what is to be released, or NULL */
} utf8_text;

/* Returns 0 with an exception set, and nothing to release, if there is no memory or `text` is not a string. */
int text_of(utf8_text *made, PyObject *text);

/* Pass each string of an iterable to a function, which returns 0 if there is no memory; returns 0 with an exception
 * set. */
int each_text(PyObject *texts, int (*take)(void *to, const byte *text, size_t size), void *to);

/* Bytes that stay as they are while other threads run: those of a `bytes` object, or a copy of what others hold. */
typedef struct {
    const byte *data;
    byte *copy;
} steady_bytes;

/* Take `size` bytes of a buffer from an offset on; returns 0 with an exception set. Both are to be released, also when
 * nothing was taken. */
int steady_take(steady_bytes *made, const Py_buffer *from, size_t start, size_t size);
void steady_release(steady_bytes *one, Py_buffer *from);

/* For `PyArg_ParseTuple`: convert a number to a `size_t`. */
int to_size(PyObject *number, void *size);

/* Make an object with a seed of 16 bytes, the only argument, which is at an offset of it. */
PyObject *new_with_seed(PyTypeObject *type, PyObject *args, size_t offset);

/* The indices in a list, or all below `count` for None; NULL with an exception set if one is not below it. `count` gets
 * their number. To be freed with PyMem_Free. */
size_t *indices_of(PyObject *list, size_t *count);

#endif
