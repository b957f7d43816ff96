"""What a dict in place of a struct becomes: the struct, at any depth of lists and maps."""
import difflib
import inspect


def struct_of(cls, value, name):
    """The struct that a dict describes; everything else unchanged."""
    if not isinstance(value, dict):
        return value
    props = [prop for prop in inspect.signature(cls.__init__).parameters if prop != "self"]
    unknown = [key for key in value if key not in props]
    if unknown:
        raise TypeError("\n".join(_unknown(cls, key, name, props) for key in unknown))
    return cls(**value)


def structs_of(cls, collections, value, name):
    """The same for each item of lists (``[``) and maps (``{``): ``[{`` is a list of maps."""
    if collections == "":
        return struct_of(cls, value, name)
    if collections[0] == "[" and isinstance(value, (list, tuple)):
        return [
            structs_of(cls, collections[1:], item, f"{name}[{index}]")
            for index, item in enumerate(value)
        ]
    if collections[0] == "{" and isinstance(value, dict):
        return {
            key: structs_of(cls, collections[1:], item, f"{name}[{key!r}]")
            for key, item in value.items()
        }
    return value


def _unknown(cls, key, name, props):
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in str(key))
    nearest = difflib.get_close_matches(snake, props, n=1)
    fix = f"use {nearest[0]}" if nearest else f"use one of {', '.join(props)}"
    return f"{name}: {cls.__name__} has no prop {key!r}. Fix: {fix}"
