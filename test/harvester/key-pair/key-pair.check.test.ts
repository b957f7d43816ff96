import { generateKeyPairSync } from 'crypto';
import { checkPublicKey } from '../../../src/harvester/key-pair/key-pair.check';

const problems = (text: unknown) => [...checkPublicKey('key', text)].map(({ message }) => message);

function wire(...parts: (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

const line = (algorithm: string, ...parts: (string | Buffer)[]) =>
  `${algorithm} ${wire(algorithm, ...parts).toString('base64')} someone`;
const raw = (text: string | undefined) => Buffer.from(text!, 'base64url');

function ed25519(): string {
  return line(
    'ssh-ed25519',
    raw(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x),
  );
}

function rsa(): string {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
    format: 'jwk',
  });
  return line('ssh-rsa', raw(e), Buffer.concat([Buffer.from([0]), raw(n)]));
}

function ecdsa(): string {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk',
  });
  return line('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.from([4]), raw(x), raw(y)]));
}

test.each([
  ['ed25519', ed25519()],
  ['rsa', rsa()],
  ['ecdsa', ecdsa()],
])('a key of %s is read, with options, comments and line ends around it', (_, key) => {
  for (const text of [
    key,
    `  ${key}  `,
    `# mine\r\n\r\n${key}\r\n`,
    `from="10.0.0.0/8",no-pty ${key}`,
    `command="echo \\"a b\\"" ${key}`,
    key.replace(/ someone$/, ''),
  ]) {
    expect([text, problems(text)]).toEqual([text, []]);
  }
});

test('accepts security keys and certificates', () => {
  expect(problems(line('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 1), 'ssh:'))).toEqual([]);
  expect(
    problems(line('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', Buffer.alloc(65, 4), 'ssh:')),
  ).toEqual([]);
  expect(problems(line('ssh-ed25519-cert-v01@openssh.com', 'nonce', Buffer.alloc(32, 1)))).toEqual(
    [],
  );
  expect(
    problems(line('sk-ssh-ed25519-cert-v01@openssh.com', 'nonce', Buffer.alloc(32, 1))),
  ).toEqual([]);
});

test('reports invalid keys', () => {
  const key = ed25519();
  for (const text of [
    'x',
    'ssh-ed25519',
    'ssh-ed25519 !!!',
    key.slice(0, 40),
    line('ssh-ed25519', Buffer.alloc(31)),
    line('ssh-foo', 'x'),
    line('ssh-rsa', 'e'),
    '# only a comment',
  ]) {
    expect([text, problems(text)]).toEqual([text, ['must be a public key in OpenSSH format']]);
  }
  expect(problems(undefined)).toEqual(['must be set']);
  expect(problems(key.replace('ssh-ed25519', 'ssh-rsa'))).toEqual([
    'must have the algorithm of its key, ssh-ed25519, got ssh-rsa: sshd does not accept it',
  ]);
});
