"""How a program ends that does not catch an error of the library: its message, and its own lines.

The Python runtime of jsii would print the stack of its Node process and its own frames first.
"""
import inspect
import os
import re
import site
import sys
import sysconfig
import traceback

import jsii
from jsii.errors import JavaScriptError

PACKAGE = __name__.rpartition(".")[0]

# a path of props, such as ports[0].targetPort; what is in quotes is a value
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|(?<!\w)'[^'\n]*')""")
_PATH = re.compile(r"(?<![\w./-])[A-Za-z]\w*(?:\[\d+\])?(?:\.[A-Za-z]\w*(?:\[\d+\])?)*(?![\w/-])")
# fields of objects have the same names in each language
_FIELDS = ("apiVersion", "data", "metadata", "spec", "status", "stringData")

# what jsii writes of a value of a wrong type, from the struct down to the value
_KEY = re.compile(r"(?:Key '(\w+)'|parameter (\w+) of)")
_TYPE = re.compile(r"Unable to deserialize value as (.*)")
_VALUE = re.compile(r"Failing value is .*\n[^\n]*?│\s+(.*)")


def install():
    """Prints uncaught errors of the library by this module, and others as before."""
    previous = sys.excepthook

    def hook(kind, error, frames):
        if sys.excepthook is hook and _is_of_library(error, frames):
            print(report(error, frames), file=sys.stderr)
        else:
            previous(kind, error, frames)

    sys.excepthook = hook


def _is_of_library(error, frames):
    if isinstance(error.__cause__, JavaScriptError):
        return True
    # arguments of a wrong type or missing are refused before they reach Node
    if not isinstance(error, (TypeError, AssertionError)):
        return False
    folders = tuple(os.path.dirname(file) + os.sep for file in (__file__, jsii.__file__))
    calls = traceback.extract_tb(frames)
    called = any(call.filename.startswith(folders) for call in calls)
    return called and calls[-1] not in _own(frames)


def report(error, frames):
    """The message of an error of the library, with the lines of the program that led to it."""
    message = str(error)
    if isinstance(error.__cause__, JavaScriptError):
        message = in_python(_wrong_type(message.removeprefix("Error: ")))
    # a report of synthesis has a line for each of its errors
    start = "" if re.search(r"^error  ", message, re.MULTILINE) else "error  "
    lines = [f"  at {frame.filename}:{frame.lineno}" for frame in _own(frames)]
    return "\n".join([f"{start}{message}", *reversed(lines)])


def in_python(text):
    """A message with the names of props and methods as Python writes them."""
    names = _names()
    parts = _QUOTED.split(text)
    return "".join(
        part if index % 2 else _PATH.sub(lambda match: _path(match[0], names), part)
        for index, part in enumerate(parts)
    )


def _path(path, names):
    if path.split(".")[0] in _FIELDS:
        return path
    return re.sub(r"[a-z]\w*", lambda match: _name(match[0], names), path)


def _name(word, names):
    snake = re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: f"_{match[0].lower()}", word)
    return snake if snake in names else word


def _names():
    """The keyword arguments and the methods of the library."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name == PACKAGE or name.startswith(f"{PACKAGE}.")
    ]
    names = set()
    for cls in {c for module in modules for c in vars(module).values() if inspect.isclass(c)}:
        names.update(vars(cls))
        names.update(getattr(getattr(cls.__init__, "__code__", None), "co_varnames", ()))
    return names


def _wrong_type(message):
    if "Unable to deserialize value as" not in message:
        return message
    keys = [key or parameter for key, parameter in _KEY.findall(message)]
    types = _TYPE.findall(message)
    values = _VALUE.findall(message)
    if not (keys and types and values):
        return message
    place = ".".join(key for key in keys if key != "props") or keys[0]
    wanted = types[-1].strip().replace("cdk8s-harvester.", f"{PACKAGE}.")
    return f"{place}: must be of type {wanted}, got {values[-1].strip()}. Fix: set a {wanted}"


def _own(frames):
    """The frames of the program: those of installed packages and of Python are of no use in it."""
    installed = {sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")}
    installed.update([sysconfig.get_path("platlib"), *site.getsitepackages()])
    others = tuple(folder + os.sep for folder in installed if folder) + ("<",)
    found = traceback.extract_tb(frames)
    return [frame for frame in found if not frame.filename.startswith(others)]
