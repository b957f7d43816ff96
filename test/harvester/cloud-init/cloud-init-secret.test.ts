import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { GuestAgent } from '../../../src/harvester/cloud-init/cloud-init-props';
import { CloudInitSecret } from '../../../src/harvester/cloud-init/cloud-init-secret';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { newApp, newHarvester } from '../../support/programs';

test('writes user data and network data with the keys that KubeVirt reads', () => {
  const dc1 = newHarvester(newApp());
  const secret = new CloudInitSecret(dc1, 'base', {
    cloudInit: CloudInit.of({ timezone: 'UTC', guestAgent: GuestAgent.preinstalled() }),
    networkData: NetworkData.fromYaml('version: 2\n'),
    labels: { a: 'b' },
    description: 'for all',
  });
  const [{ metadata, data }] = dc1.toJson();
  expect(metadata).toEqual({
    name: 'base',
    namespace: 'default',
    labels: { 'a': 'b', 'harvesterhci.io/cloud-init-template': 'harvester' },
    annotations: { 'field.cattle.io/description': 'for all' },
  });
  expect(Buffer.from(data.userdata, 'base64').toString()).toBe(
    '#cloud-config\n# qemu-guest-agent is in the image\ntimezone: UTC\n',
  );
  expect(Buffer.from(data.networkdata, 'base64').toString()).toBe('version: 2\n');
  expect(secret.hasNetworkData).toBe(true);
});

test('refuses an empty Secret', () => {
  const dc1 = newHarvester(newApp());
  expect(() => new CloudInitSecret(dc1, 'base', {})).toThrow(
    '[dc1/base] cloudInit: must be set, unless networkData is set. Fix: set cloudInit or networkData',
  );
});

test('refers to an existing object by its name', () => {
  const dc1 = newHarvester(newApp());
  expect(CloudInitSecret.fromName(dc1, 'a', { name: 'base' })).toMatchObject({
    name: 'base',
    namespace: 'default',
    hasNetworkData: false,
  });
  expect(() => CloudInitSecret.fromName(dc1, 'b', { name: 'No Name' })).toThrow(
    '[dc1/b] name: must be a valid object name, got "No Name"',
  );
});
