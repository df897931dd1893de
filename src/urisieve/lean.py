"""`NamedTuple` and `dataclass` with the contract of the standard library's, at a fraction of the time for each class.

Making a class compiles nothing: a constructor is compiled when it is first called. `dataclasses`, which takes 7 ms to
import, describes the fields on demand. Type checkers see the names of the standard library.

It also defines:

- modules by their name.
- regular expressions that are compiled when they are first used: compiling all of them would double every start.

The names of `typing` and the types that only annotations use, without the time that importing `typing` takes.

Annotations are not evaluated (`from __future__ import annotations`), so that stand-ins do at run time. A protocol that
users may extend takes `typing.Protocol`, in a module that is imported on demand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
    from typing import IO as IO
    from typing import Any as Any
    from typing import AnyStr as AnyStr
    from typing import BinaryIO as BinaryIO
    from typing import ClassVar as ClassVar
    from typing import Final as Final
    from typing import Generic as Generic
    from typing import Literal as Literal
    from typing import NamedTuple as NamedTuple
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import Self as Self
    from typing import TypeAlias as TypeAlias
    from typing import TypedDict as TypedDict
    from typing import TypeVar as TypeVar
    from typing import cast as cast
    from typing import overload as overload


if not TYPE_CHECKING:
    Any = AnyStr = object
    TypedDict = dict

    class _Hint:
        """Stands for a type that means nothing at run time."""

        def __class_getitem__(cls, _parameters: object) -> type:
            return cls

    IO = BinaryIO = ClassVar = Final = Generic = Literal = NoReturn = Protocol = Self = TypeAlias = _Hint

    def TypeVar(_name: str, *_constraints: object, **_more: object) -> type:  # noqa: N802 - the name of `typing`
        """Return a stand-in for a type variable."""
        return object

    def cast(_kind: object, value: object) -> object:
        """Return the value."""
        return value

    def overload(function: object) -> object:
        """Return the function."""
        return function


class late(str):  # noqa: N801 - it is called as a function is
    """A name that only annotations use, imported when `typing.get_type_hints` looks for it.

    It stands for the name at run time, next to the import under `TYPE_CHECKING`. `typing` takes a string for an
    annotation that is not evaluated yet; this one contains the expression.

    Args:
        module: the module that has the name.
        name: the name.
    """

    __slots__ = ()

    def __new__(cls, module: str, name: str) -> Self:  # noqa: D102 - its arguments are those of the class
        return super().__new__(cls, f"__import__({module!r}, fromlist=[{name!r}]).{name}")

    def __or__(self, other: object) -> object:
        from typing import Union

        return Union[eval(self), other]  # noqa: UP007 - written here; `|` takes no strings

    def __ror__(self, other: object) -> object:
        from typing import Union

        return Union[other, eval(self)]  # noqa: UP007


def lazy_names(
    package: str, home: Mapping[str, str], modules: Iterable[str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are loaded when they are first used (PEP 562).

    Args:
        package: the name of the package.
        home: the names by the module that defines them, with blanks between.
        modules: modules below the package that count as names of it.
    """
    module_of = {name: module for module, names in home.items() for name in names.split()}

    def found(name: str) -> object:
        if name in modules:
            return imported(f"{package}.{name}")
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=imported(package))
        value: object = getattr(imported(f"urisieve.{module_of[name]}"), name)
        setattr(imported(package), name, value)
        return value

    def listed() -> list[str]:
        return [*imported(package).__all__, *modules]

    return found, listed


def imported(name: str) -> Any:
    """Import a module by its full name; to import `importlib` for that would take half a millisecond."""
    return __import__(name, fromlist=["__name__"])


try:
    from _collections import _tuplegetter as _getter  # type: ignore[import-not-found] # as `collections` does
except ImportError:  # not on every implementation of Python
    from operator import itemgetter

    def _getter(index: int, doc: str) -> property:
        return property(itemgetter(index), doc=doc)


# The objects of a class that are made before its constructor is compiled, which takes as long as to make a hundred so.
_FIRST: Final = 16


class _Constructor:
    """A method that is compiled when it is first looked up, and is then in the class itself.

    Args:
        name: its name.
        make: compiles it.
        is_static: whether it is a static method.
        first: does the same for the first objects, slowly: of many classes a run makes a few. It is given what returns
            the compiled method, for arguments that are wrong.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Callable[..., Any]],
        *,
        is_static: bool = False,
        first: Callable[..., Any] | None = None,
    ) -> None:
        self._name = name
        self._make = make
        self._is_static = is_static
        self._first = first
        self._left = _FIRST if first is not None else 0
        self._owner: type = object

    def __set_name__(self, owner: type, _name: str) -> None:
        self._owner = owner

    def __get__(self, instance: object, _owner: type | None = None) -> Any:
        if self._left > 0 and (instance is not None or self._is_static) and self._first is not None:
            self._left -= 1
            return _First(self._first, self._compiled, *(() if instance is None else (instance,)))
        return self._compiled(instance)

    def _compiled(self, instance: object = None) -> Any:
        self._left = 0
        made = self._make()
        made.__qualname__ = f"{self._owner.__qualname__}.{self._name}"
        made.__module__ = self._owner.__module__
        setattr(self._owner, self._name, staticmethod(made) if self._is_static else made)
        return made if instance is None or self._is_static else made.__get__(instance)


class _First(partial[Any]):
    """Makes one of the first objects; it describes itself as the compiled method does."""

    @property
    def __signature__(self) -> object:
        from inspect import signature

        return signature(self.args[0]())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.args[0](), name)  # `__name__`, `__qualname__`


def _compiled(name: str, parameters: str, body: str, module: str, names: Mapping[str, Any]) -> Callable[..., Any]:
    """Compile a method that uses some names; `typing.get_type_hints` finds those of the module too."""
    names = {**vars(imported(module)), **names}
    # Of a text, `exec` makes a process that Ctrl-C interrupts here end by that signal, whatever its exit status says.
    exec(compile(f"def {name}({parameters}):\n {body}", "<string>", "exec"), names)
    made: Callable[..., Any] = names[name]
    return made


# Named tuples: the constructors of those with few fields, which take the names of the fields, and the methods that all
# of them share.

_new = tuple.__new__
_NEW = (
    lambda k: _new(k, ()),
    lambda k, a: _new(k, (a,)),
    lambda k, a, b: _new(k, (a, b)),
    lambda k, a, b, c: _new(k, (a, b, c)),
    lambda k, a, b, c, d: _new(k, (a, b, c, d)),
    lambda k, a, b, c, d, e: _new(k, (a, b, c, d, e)),
    lambda k, a, b, c, d, e, f: _new(k, (a, b, c, d, e, f)),
    lambda k, a, b, c, d, e, f, g: _new(k, (a, b, c, d, e, f, g)),
    lambda k, a, b, c, d, e, f, g, h: _new(k, (a, b, c, d, e, f, g, h)),
    lambda k, a, b, c, d, e, f, g, h, i: _new(k, (a, b, c, d, e, f, g, h, i)),
)


def _tuple_constructor(fields: tuple[str, ...], module: str) -> Callable[..., Any]:
    """Return `__new__` of a named tuple."""
    parameters = ("_cls", *fields)
    if len(fields) >= len(_NEW):
        body = f"return _new(_cls, ({', '.join(fields)},))"
        return _compiled("__new__", ", ".join(parameters), body, module, {"_new": _new})
    function: Any = type(_compiled)
    code = _NEW[len(fields)].__code__.replace(co_varnames=parameters, co_name="__new__")
    new: Callable[..., Any] = function(code, {**vars(imported(module)), "_new": _new}, "__new__")
    return new


def _make(cls: Any, iterable: Iterable[Any]) -> Any:
    """Make a new object from a sequence or iterable."""
    made = tuple.__new__(cls, iterable)
    if len(made) != len(cls._fields):
        raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
    return made


def _replace(self: Any, /, **changes: Any) -> Any:
    """Return a new object replacing specified fields with new values."""
    made = self._make(map(changes.pop, self._fields, self))
    if changes:
        from collections import namedtuple

        standard: Any = namedtuple("standard", ())()
        standard._replace(**changes)  # raises: the kind of error depends on the version of Python
    return made


def _asdict(self: Any) -> dict[str, Any]:
    """Return a new dict which maps field names to their values."""
    return dict(zip(self._fields, self, strict=True))


def _tuple_repr(self: Any) -> str:
    pairs = zip(self._fields, self, strict=True)
    return f"{type(self).__name__}({', '.join([f'{name}={value!r}' for name, value in pairs])})"


def _getnewargs(self: Any) -> tuple[Any, ...]:
    return tuple(self)


def _first_tuple(compiled: Callable[[], Callable[..., Any]], cls: Any, /, *args: Any, **values: Any) -> Any:
    """Make a tuple as `__new__` does, without compiling it."""
    rest = cls._fields[len(args) :]
    defaults = cls._field_defaults
    if (
        len(args) > len(cls._fields)
        or not values.keys() <= set(rest)
        or not all(name in values or name in defaults for name in rest)
    ):
        return compiled()(cls, *args, **values)
    return tuple.__new__(cls, (*args, *[values[name] if name in values else defaults[name] for name in rest]))


class _TupleMaker(type):
    """The class of the base `NamedTuple`: its subclasses are tuples, and nothing of it is left in them."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        """Return a class of tuples with the annotated fields."""
        if not bases:
            return super().__new__(cls, name, bases, namespace)
        fields = tuple(namespace.get("__annotations__", ()))
        module = namespace["__module__"]
        defaults = {field: namespace[field] for field in fields if field in namespace}
        if tuple(defaults) != fields[len(fields) - len(defaults) :]:
            raise TypeError(f"{name}: a field without a default follows one with a default")

        def constructor() -> Any:
            new: Any = _tuple_constructor(fields, module)
            new.__defaults__ = tuple(defaults.values())
            new.__doc__ = f"Create new instance of {name}({', '.join(fields)})"
            return new

        for index, field in enumerate(fields):
            namespace[field] = _getter(index, f"Alias for field number {index}")
        made = {
            "__doc__": f"{name}({', '.join(fields)})",
            "__repr__": _tuple_repr,
            **namespace,
            "__slots__": (),
            "__match_args__": fields,
            "__new__": _Constructor(
                "__new__", constructor, is_static=True, first=_first_tuple if len(fields) >= len(_NEW) else None
            ),
            "__getnewargs__": _getnewargs,
            "__replace__": _replace,
            "_fields": fields,
            "_field_defaults": defaults,
            "_make": classmethod(_make),
            "_replace": _replace,
            "_asdict": _asdict,
        }
        return type(name, (tuple,), made)


# Data classes: the methods that they share.


def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a data class.

    >>> from urisieve import Options
    >>> field_names(Options)[:2]
    ('schemes', 'exclude_schemes')
    """
    names: tuple[str, ...] = kind._field_names  # type: ignore[attr-defined] # see `dataclass` below
    return names


def _replaced(self: Any, /, **changes: Any) -> Any:
    return type(self)(**{**{name: getattr(self, name) for name in self._field_names}, **changes})


def _values(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, name) for name in self._field_names])


def _equal(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _data_repr(self: Any) -> str:
    return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in self._field_names])})"


def _refuse(self: Any, name: str, verb: str) -> None:
    """Raise for a field, and in an object of the class itself; a subclass may have more attributes."""
    if name in self._field_names or "_field_names" in vars(type(self)):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {verb} field {name!r}")


def _frozen_set(self: Any, name: str, value: object) -> None:
    _refuse(self, name, "assign to")
    object.__setattr__(self, name, value)


def _frozen_delete(self: Any, name: str) -> None:
    _refuse(self, name, "delete")
    object.__delattr__(self, name)


def _getstate(self: Any) -> list[Any]:
    return list(_values(self))


def _setstate(self: Any, state: Iterable[Any]) -> None:
    for name, value in zip(self._field_names, state, strict=True):
        object.__setattr__(self, name, value)


class _Fresh:
    """The default of a field whose value is created for each object."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def __repr__(self) -> str:
        return "<factory>"


class _Described:
    """An attribute by which `dataclasses` knows a class: taken from a twin that it makes on demand."""

    def __init__(self, defaults: Mapping[str, Any], settings: Mapping[str, bool]) -> None:
        self._defaults = defaults
        self._settings = settings
        self._owner: Any = None
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner
        self._name = name

    def __get__(self, _instance: object, _owner: type | None = None) -> Any:
        import dataclasses

        owner = self._owner
        body: dict[str, Any] = {
            name: dataclasses.field(default_factory=value.make) if isinstance(value, _Fresh) else value
            for name, value in self._defaults.items()
        }
        body |= {"__annotations__": owner.__annotations__, "__module__": owner.__module__}
        twin: type = dataclasses.dataclass(**self._settings)(type(owner.__name__, (), body))
        described = getattr(twin, self._name)
        setattr(owner, self._name, described)
        return described


def _first_initializer(defaults: Mapping[str, Any]) -> Callable[..., None]:
    """Return what initializes the first object of a class as `__init__` does, without compiling it."""

    def initialize(compiled: Callable[[], Callable[..., Any]], made: Any, /, *args: Any, **values: Any) -> None:
        names = set(made._field_names)
        if args or not names - defaults.keys() <= values.keys() <= names:
            compiled()(made, *args, **values)
            return
        for name in made._field_names:
            value = values[name] if name in values else defaults[name]
            object.__setattr__(made, name, value.make() if isinstance(value, _Fresh) else value)
        if hasattr(made, "__post_init__"):
            made.__post_init__()

    return initialize


def _initializer(
    cls: type, defaults: Mapping[str, Any], *, frozen: bool, kw_only: bool
) -> Callable[[], Callable[..., Any]]:
    """Return a function that compiles `__init__`."""

    def compiled() -> Callable[..., Any]:
        fields = tuple(cls.__annotations__)
        parameters = ["self", "*"] if kw_only else ["self"]
        parameters += [f"{name}=_d_{name}" if name in defaults else name for name in fields]
        names = {f"_d_{name}": value for name, value in defaults.items()}
        names["_set"] = object.__setattr__
        lines = []
        for name in fields:
            is_fresh = isinstance(defaults.get(name), _Fresh)
            value = f"_d_{name}.make() if {name} is _d_{name} else {name}" if is_fresh else name
            lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        made = _compiled("__init__", ", ".join(parameters), "\n ".join(lines), cls.__module__, names)
        made.__annotations__ = {**cls.__annotations__, "return": None}
        return made

    return compiled


def _dataclass(*, frozen: bool = False, kw_only: bool = False, slots: bool = False) -> Callable[[type], type]:
    """Return a decorator like that of `dataclasses`; classes have `slots`, and no base that has fields."""

    def decorated(cls: type) -> type:
        fields = tuple(cls.__annotations__)
        namespace = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
        defaults = {name: namespace.pop(name) for name in fields if name in namespace}
        settings = {"frozen": frozen, "kw_only": kw_only}
        initializer = _initializer(cls, defaults, frozen=frozen, kw_only=kw_only)
        made: dict[str, Any] = {
            "_field_names": fields,
            "__qualname__": cls.__qualname__,
            "__init__": _Constructor("__init__", initializer, first=_first_initializer(defaults)),
            "__eq__": _equal,
            "__hash__": _hash if frozen else None,
            "__repr__": _data_repr,
            "__replace__": _replaced,
            "__match_args__": () if kw_only else fields,
            "__dataclass_fields__": _Described(defaults, settings),
            "__dataclass_params__": _Described(defaults, settings),
        }
        if slots:
            made["__slots__"] = fields
        else:
            made.update(defaults)
        if frozen:
            made |= {"__setattr__": _frozen_set, "__delattr__": _frozen_delete}
            if slots:
                made |= {"__getstate__": _getstate, "__setstate__": _setstate}
        return type(cls)(cls.__name__, cls.__bases__, {**made, **namespace})

    return decorated


if not TYPE_CHECKING:
    NamedTuple = _TupleMaker("NamedTuple", (), {"__slots__": ()})
    dataclass = _dataclass

    def field(*, default_factory: Callable[[], Any]) -> _Fresh:
        """Return the default of a field whose value is created for each object."""
        return _Fresh(default_factory)

    def replace(value: Any, /, **changes: Any) -> Any:
        """Return a data class with other values of some fields."""
        return _replaced(value, **changes)


class _Pattern(partial[Any]):
    """A pattern that is compiled when one of its attributes is first asked for.

    Until then it is no more than a call that waits: to make one runs no code of Python, and a start makes hundreds.
    """

    def __getattr__(self, name: str) -> Any:
        value = getattr(self(), name)
        self.__dict__[name] = value  # found there from now on, without this method
        return value


def _compiled_pattern(source: AnyStr | Callable[[], AnyStr], flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern like `re.compile`, which remembers what it has compiled.

    `lazy_compile` takes the same arguments, for the top of a module; its pattern is compiled when it is first used.

    >>> word = lazy_compile("[a-z]+", re.IGNORECASE)
    >>> word.findall("Two words")
    ['Two', 'words']

    Args:
        source: the regular expression, or a function that returns it, where making it takes time.
        flags: as for `re.compile`.
    """
    return re.compile(source() if callable(source) else source, flags)


if TYPE_CHECKING:
    lazy_compile = _compiled_pattern
else:
    lazy_compile = partial(_Pattern, _compiled_pattern)
