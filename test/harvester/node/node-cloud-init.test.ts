import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { CloudInitTemplate } from '../../../src/harvester/cloud-init/cloud-init-secret';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { NodeCloudInit, NodeImages } from '../../../src/harvester/node/node';
import { newApp, newHarvester } from '../../support/programs';

test('writes a file of the nodes', () => {
  const dc1 = newHarvester(newApp());
  new NodeCloudInit(dc1, '99-ntp', {
    stages: { network: [{ name: 'NTP', commands: ['systemctl restart systemd-timesyncd'] }] },
    nodeSelector: { zone: 'a' },
  });
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: 'node.harvesterhci.io/v1beta1',
      kind: 'CloudInit',
      metadata: { name: '99-ntp' },
      spec: {
        matchSelector: { zone: 'a' },
        filename: '99-ntp.yaml',
        contents:
          'name: 99-ntp\nstages:\n  network:\n    - name: NTP\n      commands:\n        - systemctl restart systemd-timesyncd\n',
        paused: false,
      },
    },
  ]);
});

test('selects all nodes by default, and refuses a file of Harvester', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  new NodeCloudInit(dc1, 'a', { stages: {} });
  expect(dc1.toJson()[0].spec.matchSelector).toEqual({ 'harvesterhci.io/managed': 'true' });
  expect(() => new NodeCloudInit(dc1, 'b', { stages: {}, filename: '90_custom' })).toThrow(
    '[dc1/b] filename: cannot be a file that belongs to Harvester, got "90_custom.yaml" (the server: "filename conflicts with a critical system-owned file")',
  );
  expect(() => new NodeCloudInit(newHarvester(app, '1.2.2', 'old'), 'c', { stages: {} })).toThrow(
    '[old/c] the resource CloudInit of node.harvesterhci.io needs Harvester 1.3.0 or later, got 1.2.2',
  );
});

test('writes a file as it is, and refuses it next to other props of the file', () => {
  const dc1 = newHarvester(newApp());
  const contents = '# tuned by hand\nname: Tuning\nstages: {boot: []}\n';
  new NodeCloudInit(dc1, 'a', { contents });
  new NodeCloudInit(dc1, 'b', { stages: {}, title: 'Tuning' });
  expect(dc1.toJson().map(({ spec }) => spec.contents)).toEqual([
    contents,
    'name: Tuning\nstages: {}\n',
  ]);
  expect(() => new NodeCloudInit(dc1, 'c', { contents, title: 'Tuning' })).toThrow(
    '[dc1/c] title: cannot be set together with contents, which is the whole file. Fix: remove title or contents',
  );
  expect(() => new NodeCloudInit(dc1, 'd', {})).toThrow(
    '[dc1/d] stages: must be set if contents is not. Fix: set stages or contents',
  );
});

test('writes templates that the UI offers', () => {
  const dc1 = newHarvester(newApp());
  CloudInitTemplate.user(dc1, 'web', CloudInit.of(), { description: 'web servers' });
  CloudInitTemplate.network(
    dc1,
    'dhcp',
    NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true } } }),
  );
  const [user, network] = dc1.toJson();
  expect(user).toMatchObject({
    kind: 'ConfigMap',
    metadata: {
      name: 'web',
      namespace: 'default',
      labels: { 'harvesterhci.io/cloud-init-template': 'user' },
      annotations: { 'field.cattle.io/description': 'web servers' },
    },
    data: { cloudInit: expect.stringMatching(/^#cloud-config\n/) },
  });
  expect(network).toMatchObject({
    metadata: { labels: { 'harvesterhci.io/cloud-init-template': 'network' } },
    data: { cloudInit: expect.stringContaining('version: 2') },
  });
});

test('writes labels and annotations of the program on the images of nodes', () => {
  const dc1 = newHarvester(newApp());
  const images = new NodeImages(dc1, 'images', {
    directory: '/mnt/images',
    labels: { team: 'ops' },
    annotations: { note: 'x' },
  });
  expect(images).toMatchObject({ name: '99-import-images', harvester: dc1 });
  expect(dc1.toJson()[0].metadata).toEqual({
    name: '99-import-images',
    labels: { team: 'ops' },
    annotations: { note: 'x' },
  });
});
