import { adoptPlatform } from '../../src/adopt/project/run-adopt';
import { TargetKind } from '../../src/core/app/target';
import { FoundCluster } from '../../src/core/draft/inverse';
import { Manifest } from '../../src/core/manifest/manifest';

const META = { uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' };

function adoptedOn(...manifests: object[]): ReturnType<typeof adoptPlatform> {
  const objects = manifests.map((manifest) => ({ target: 'dc1', manifest: manifest as Manifest, from: 'a test' }));
  const cluster: FoundCluster = { name: 'dc1', kind: TargetKind.HARVESTER, version: '1.8.2', objects, unread: [] };
  return adoptPlatform({ clusters: [cluster] });
}

function machine(userData: string): object {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { ...META, name: 'web', namespace: 'default' },
    spec: {
      runStrategy: 'RerunOnFailure',
      template: {
        spec: {
          domain: { cpu: { cores: 1 }, resources: { limits: { cpu: '1', memory: '1Gi' } }, devices: { disks: [{ name: 'init', disk: { bus: 'virtio' } }] } },
          volumes: [{ name: 'init', cloudInitNoCloud: { userData } }],
        },
      },
    },
  };
}

test.each([
  '#cloud-config\nusers:\n- name: ana\n  passwd: $6$rounds=4096$saltsalt$hashhashhashhashhashhash\n',
  '#!/bin/sh\nexport API_TOKEN=abcdefghijklmnop\n',
  Buffer.from('#cloud-config\npassword: Tr0ub4dor-and-3\n').toString('base64'),
])('finds the secret in %j', (userData) => {
  expect(adoptedOn(machine(userData)).leftOut).toHaveLength(1);
});

test('an object whose statement would contain a secret is left out, with what to do', () => {
  const { files, leftOut } = adoptedOn(machine('#cloud-config\npassword: Tr0ub4dor-and-3\n'));
  expect([...files.values()].join('')).not.toContain('Tr0ub4dor');
  expect(leftOut).toEqual([{ target: 'dc1', reason: expect.stringContaining('SecretValue.fromEnv'), objects: ['VirtualMachine default/web'] }]);
});

test('an object without one is declared', () => {
  const { files, leftOut } = adoptedOn(machine('#cloud-config\npackage_update: true\nssh_authorized_keys:\n- ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA ana\n'));
  expect(leftOut).toEqual([]);
  expect(files.get('dc1.ts')).toContain('package_update: true');
  expect(leftOut).toEqual([]);
});
