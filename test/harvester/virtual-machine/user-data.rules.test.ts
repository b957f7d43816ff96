import { Manifest } from '../../../src/core/manifest/manifest';
import { secret } from '../../support/guest';
import { judgePlaced } from '../../support/judging';

const machine = (volume: object, domain: object = {}, annotations = {}): Manifest => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'a', namespace: 'vms', annotations },
  spec: { template: { spec: { domain, volumes: [{ name: 'cloudinitdisk', ...volume }] } } },
});
const inline = (userData: string): object => ({ cloudInitNoCloud: { userData } });
const PATH = 'warning virtual-machine/user-data a spec.template.spec.volumes[0].cloudInitNoCloud';
const userData = (volume: object, ...others: Manifest[]): string[] =>
  judgePlaced(['virtual-machine/user-data'], { dc1: [machine(volume), ...others] });

test.each<[string, object, string]>([
  ['has no header', inline('packages: [vim]\n'), `${PATH}.userData: must begin with #cloud-config`],
  [
    'has no header, in base64',
    { cloudInitNoCloud: { userDataBase64: Buffer.from('packages: [vim]\n').toString('base64') } },
    `${PATH}.userDataBase64: must begin with #cloud-config`,
  ],
  [
    'is not valid YAML',
    inline('#cloud-config\npackages: [vim\n'),
    `${PATH}.userData: is not valid YAML, so cloud-init ignores it`,
  ],
  [
    'holds a password',
    inline('#cloud-config\npassword: pa55\n'),
    `${PATH}.userData: must not contain a password in plain text`,
  ],
  [
    'holds a password of a user',
    inline('#cloud-config\nusers: [{name: ana, plain_text_passwd: pa55}]\n'),
    `${PATH}.userData: must not contain a password in plain text`,
  ],
])('reports user data that %s', (_, volume, text) => {
  expect(userData(volume)).toEqual([expect.stringContaining(text)]);
  expect(userData(volume)[0]).not.toContain('pa55');
});

test.each<[string, object, Manifest[]]>([
  ['a configuration', inline('#cloud-config\npackages: [vim]\n'), []],
  ['a script', inline('#!/bin/sh\nreboot\n'), []],
  ['nothing', inline(''), []],
  ['a hash', inline('#cloud-config\npassword: $6$abc\n'), []],
  [
    'a password in a Secret',
    { cloudInitNoCloud: { secretRef: { name: 'a' } } },
    [secret('a', 'vms', { userdata: '#cloud-config\npassword: pa55\n' })],
  ],
  ['a Secret that is not known', { cloudInitNoCloud: { secretRef: { name: 'a' } } }, []],
])('accepts %s', (_, volume, others) => {
  expect(userData(volume, ...others)).toEqual([]);
});

test('reads user data in a Secret', () => {
  expect(
    userData(
      { cloudInitNoCloud: { secretRef: { name: 'a' } } },
      secret('a', 'vms', { userdata: 'packages: []\n' }),
    ),
  ).toEqual([expect.stringContaining('.secretRef: must begin with #cloud-config')]);
});

describe('sizes', () => {
  const claims = (storage: unknown): object => ({
    'harvesterhci.io/volumeClaimTemplates': JSON.stringify([
      { metadata: { name: 'a-0' }, spec: { resources: { requests: { storage } } } },
    ]),
  });
  const units = (domain: object, annotations?: object): string[] =>
    judgePlaced(['virtual-machine/units'], { dc1: [machine({}, domain, annotations)] });

  test('are quantities with a unit', () => {
    expect(
      units({ memory: { guest: '4GB' }, resources: { limits: { memory: '2048' } } }, claims('40')),
    ).toEqual([
      expect.stringContaining(
        'error virtual-machine/units a spec.template.spec.domain.memory.guest: must be a quantity, got "4GB" (the server: "quantities must match the regular expression',
      ),
      expect.stringContaining(
        'warning virtual-machine/units a metadata.annotations[harvesterhci.io/volumeClaimTemplates]: must be at least 1Mi, got "40": without a unit it is a number of bytes',
      ),
      expect.stringContaining(
        'warning virtual-machine/units a spec.template.spec.domain.resources.limits.memory: must be at least 32Mi, got "2048"',
      ),
    ]);
    expect(
      units(
        {
          memory: { guest: '4Gi' },
          resources: { limits: { memory: 4294967296 }, requests: { memory: '4G' } },
        },
        claims('40Gi'),
      ),
    ).toEqual([]);
  });
});
