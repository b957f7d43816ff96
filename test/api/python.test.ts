const { finishModule } = jest.requireActual<{
  finishModule: (text: string, helpers: string) => string;
}>('../../projenrc/python/finish.js');

const DICT = 'typing.Dict[builtins.str, typing.Any]';
const METHOD = `
class Service:
    def __init__(
        self,
        scope: "_constructs_77d1e7e8.Construct",
        id: builtins.str,
        *,
        tls: typing.Optional[typing.Union["Tls", ${DICT}]] = None,
        ports: typing.Sequence[typing.Union["Port", ${DICT}]],
        hosts: typing.Optional[typing.Mapping[builtins.str, typing.Sequence[typing.Union["Host", ${DICT}]]]] = None,
    ) -> None:
        '''(experimental) A Service.

        :stability: experimental
        '''
        if isinstance(tls, dict):
            tls = Tls(**tls)
        if __debug__:
            pass

    def add(self, *ports: typing.Union[Port, ${DICT}]) -> None:
        '''(experimental) Adds ports.'''
        if __debug__:
            pass

    def name(self, text: builtins.str) -> None:
        if __debug__:
            pass
`;

test('converts the dicts in parameters before their types are checked', () => {
  expect(finishModule(`from ._jsii import *\n${METHOD}`, '.')).toBe(`from ._jsii import *
from ._structs import struct_of as _struct_of, structs_of as _structs_of
${METHOD.replace(
  `        if isinstance(tls, dict):
            tls = Tls(**tls)
        if __debug__:`,
  `        tls = _struct_of(Tls, tls, "tls")
        ports = _structs_of(Port, "[", ports, "ports")
        hosts = _structs_of(Host, "{[", hosts, "hosts")
        if __debug__:`,
)
  .replace(
    `'''(experimental) Adds ports.'''
`,
    `'''Adds ports.'''
        ports = _structs_of(Port, "[", ports, "ports")
`,
  )
  .replace(
    `(experimental) A Service.

        :stability: experimental`,
    'A Service.',
  )}`);
});
