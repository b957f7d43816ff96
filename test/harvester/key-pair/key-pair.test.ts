import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { KeyPair } from '../../../src/harvester/key-pair/key-pair';
import { newApp, newHarvester } from '../../support/programs';

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana@host';

test('writes a public key', () => {
  const dc1 = newHarvester(newApp());
  const pair = new KeyPair(dc1, 'ana', {
    publicKey: `${KEY}\n`,
    namespace: HarvesterNamespace.fromName(dc1, 'public', { name: 'harvester-public' }),
    labels: { team: 'a' },
  });
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'KeyPair',
      metadata: { name: 'ana', namespace: 'harvester-public', labels: { team: 'a' } },
      spec: { publicKey: KEY },
    },
  ]);
  expect([pair.keyPairId, pair.publicKey]).toEqual(['harvester-public/ana', KEY]);
});

test('refuses an invalid key, and never shows a private one', () => {
  const dc1 = newHarvester(newApp());
  expect(() => new KeyPair(dc1, 'a', { publicKey: 'ana@host' })).toThrow(
    '[dc1/a] publicKey: must be a public key in OpenSSH format, got "ana@host" (the server: "key is not in valid OpenSSH public key format")',
  );
  expect(
    () => new KeyPair(dc1, 'b', { publicKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0' }),
  ).toThrow(/^(?!.*c2VjcmV0)[^]*publicKey: cannot be a private key/);
});

test('refers to an existing object', () => {
  const pair = KeyPair.fromName(newHarvester(newApp()), 'there', { name: 'ana' });
  expect([pair.keyPairId, pair.publicKey]).toEqual(['default/ana', '${late:dc1.there.publickey}']);
});
