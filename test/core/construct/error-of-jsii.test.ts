import { inLanguageOf, passOn, withStacks } from '../../../src/core/construct/error-of-jsii';

const GO = 'go1.26.8/linux/amd64';
const DOT_NET = 'DotNet/8.0.1/.NETCoreApp,Version=v8.0/1.140.0';

test.each([
  [
    '[shop/lb] ports[0].targetPort: must be a port, got 844300. Fix: set a port number',
    '[shop/lb] Ports[0].TargetPort: must be a port, got 844300. Fix: set a port number',
  ],
  [
    'error  [dc1/vm] cloudInit: must be set. Fix: set cloudInit or networkData, not "userData"',
    'error  [dc1/vm] CloudInit: must be set. Fix: set CloudInit or NetworkData, not "userData"',
  ],
  ['[dc1/pool] addRange: end: must be an address', '[dc1/pool] AddRange: End: must be an address'],
  [
    'spec.sshUser: must be a name. Fix: set sshUser',
    'spec.sshUser: must be a name. Fix: set sshUser',
  ],
  [
    'synthesis failed, nothing was written\nobject/duplicate  Service a/b on shop: see dc1',
    'synthesis failed, nothing was written\nobject/duplicate  Service a/b on shop: see dc1',
  ],
  ['the token: it is not valid', 'the token: it is not valid'],
])('writes names of a message as Go and C# do: %s', (message, written) => {
  expect(inLanguageOf(GO, message)).toBe(written);
  expect(inLanguageOf(DOT_NET, message)).toBe(written);
  expect(inLanguageOf('Java/17.0.15', message)).toBe(message);
});

test('writes a static method as the language does', () => {
  const message = 'VmImage.fromName: name: must be text';
  expect(inLanguageOf(GO, message)).toBe('VmImage_FromName: Name: must be text');
  expect(inLanguageOf(DOT_NET, message)).toBe('VmImage.FromName: Name: must be text');
});

describe('an error on its way to the kernel', () => {
  const errorFor = (agent: string) => {
    process.env.JSII_AGENT = agent;
    const error = new Error('[dc1/a] vlan: must be set');
    passOn(error);
    return error;
  };
  afterEach(() => {
    delete process.env.JSII_AGENT;
    withStacks();
  });

  test('has no stack, and no name in its text', () => {
    const { prepareStackTrace } = Error;
    const error = errorFor('Java/17.0.15');
    // what the kernel makes of it
    const passed = new Error(String(error));
    expect([error.stack, passed.stack, passed.message]).toEqual([
      undefined,
      undefined,
      '[dc1/a] vlan: must be set',
    ]);
    withStacks();
    expect(Error.prepareStackTrace).toBe(prepareStackTrace);
  });

  test('keeps its stack for Python, whose runtime needs one', () => {
    const { stack, message } = errorFor('Python/3.13.1');
    expect([stack, message]).toEqual([
      expect.stringContaining('    at '),
      '[dc1/a] vlan: must be set',
    ]);
  });
});
