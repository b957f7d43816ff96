import { stringify } from 'yaml';
import { pathOf } from '../../../src/core/manifest/manifest';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { differences, meansTheSame } from '../../../src/engine/fields/compare-desired';

const VALUE = { a: { 'b': [1, 'x: y', true], 'c/d': null }, e: '0644' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const reordered = { e: '0644', a: { 'c/d': null, 'b': [1, 'x: y', true] } };

function same(
  kind: string,
  apiVersion: string,
  path: string,
  live: unknown,
  desired: unknown,
): boolean {
  const object: LiveObject = {
    apiVersion,
    kind,
    metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1' },
  };
  return meansTheSame(object, pathOf(path), live, desired);
}

describe('a live text with the value of the program is kept', () => {
  test.each([
    ['Addon', 'harvesterhci.io/v1beta1', 'spec.valuesContent'],
    ['HelmChart', 'helm.cattle.io/v1', 'spec.valuesContent'],
    ['HelmChartConfig', 'helm.cattle.io/v1', 'spec.valuesContent'],
    ['Cluster', 'provisioning.cattle.io/v1', 'spec.rkeConfig.additionalManifest'],
    ['Cluster', 'management.cattle.io/v3', 'spec.rancherKubernetesEngineConfig.addons'],
    ['CloudInit', 'node.harvesterhci.io/v1beta1', 'spec.contents'],
    ['Setting', 'harvesterhci.io/v1beta1', 'value'],
    ['Namespace', 'v1', 'metadata.annotations[field.cattle.io/resourceQuota]'],
    ['Namespace', 'v1', 'metadata.annotations[field.cattle.io/containerDefaultResourceLimit]'],
    [
      'VirtualMachine',
      'kubevirt.io/v1',
      'metadata.annotations[harvesterhci.io/volumeClaimTemplates]',
    ],
    [
      'VirtualMachine',
      'kubevirt.io/v1',
      'spec.template.metadata.annotations[harvesterhci.io/sshNames]',
    ],
    [
      'StorageClass',
      'storage.k8s.io/v1',
      'metadata.annotations[cdi.harvesterhci.io/storageProfileVolumeModeAccessModes]',
    ],
    ['NetworkAttachmentDefinition', 'k8s.cni.cncf.io/v1', 'spec.config'],
  ])('of %s %s: %s', (kind, apiVersion, path) => {
    const texts = [
      JSON.stringify(VALUE),
      JSON.stringify(reordered, null, 2),
      `# by hand\n${stringify(VALUE)}`,
    ];
    for (const live of texts) {
      for (const desired of texts) {
        expect(same(kind, apiVersion, path, live, desired)).toBe(true);
      }
      expect(same(kind, apiVersion, path, live, live.replace('0644', '0640'))).toBe(false);
    }
    expect(same(kind, apiVersion, `${path}x`, texts[0], texts[1])).toBe(false);
    expect(same(kind, apiVersion, path, 'plain text', 'plain  text')).toBe(false);
    expect(same(kind, apiVersion, path, '{', texts[0])).toBe(false);
  });

  test('of the claims of a VM that Go wrote', () => {
    const claims = (live: unknown, desired: unknown): boolean =>
      same(
        'VirtualMachine',
        'kubevirt.io/v1',
        'metadata.annotations[harvesterhci.io/volumeClaimTemplates]',
        JSON.stringify(live),
        JSON.stringify(desired),
      );
    expect(
      claims(
        [{ metadata: { name: 'a', creationTimestamp: null }, status: {} }],
        [{ metadata: { name: 'a' } }],
      ),
    ).toBe(true);
    expect(
      claims(
        [{ metadata: { name: 'a' }, spec: { accessModes: [] } }],
        [{ metadata: { name: 'a' } }],
      ),
    ).toBe(false);
  });

  test('of a quota in other units, which the UI of Rancher writes', () => {
    const quota = (live: string, desired: string): boolean =>
      same(
        'Namespace',
        'v1',
        'metadata.annotations[field.cattle.io/resourceQuota]',
        `{"limit":{"limitsCpu":"${live}"}}`,
        `{"limit":{"limitsCpu":"${desired}"}}`,
      );
    expect(quota('1000m', '1')).toBe(true);
    expect(quota('1024Mi', '1Gi')).toBe(true);
    expect(quota('1001m', '1')).toBe(false);
  });

  test('of a Secret of cloud-init, if its header is the same', () => {
    const data = (key: string, live: string, desired: string): boolean =>
      same('Secret', 'v1', `data.${key}`, base64(live), base64(desired));
    expect(
      data(
        'userdata',
        `#cloud-config\n${stringify(VALUE)}`,
        `#cloud-config\n# by hand\n${JSON.stringify(reordered)}`,
      ),
    ).toBe(true);
    expect(data('userdata', stringify(VALUE), `#cloud-config\n${stringify(VALUE)}`)).toBe(false);
    expect(data('userdata', '#!/bin/sh\necho', '#!/bin/sh\n\necho')).toBe(false);
    expect(data('networkdata', stringify(VALUE), `# by hand\n${JSON.stringify(VALUE)}`)).toBe(true);
    expect(
      same(
        'Secret',
        'v1',
        'data[.dockerconfigjson]',
        base64(JSON.stringify(VALUE)),
        base64(JSON.stringify(reordered)),
      ),
    ).toBe(true);
    expect(data('password', '{"a": 1}', '{"a":1}')).toBe(false);
  });
});

test('a quota of a Project in other units is the quota of the program', () => {
  const project = (limitsCpu: string, pods = '10'): LiveObject => ({
    apiVersion: 'management.cattle.io/v3',
    kind: 'Project',
    metadata: { name: 'p-x', namespace: 'c-m-x', uid: 'u', resourceVersion: '1' },
    spec: { resourceQuota: { limit: { limitsCpu, pods } } },
  });
  expect(differences(project('1'), project('1000m'), undefined)).toEqual([]);
  expect(differences(project('1'), project('1000m', '11'), undefined)).toHaveLength(1);
});

describe('a VM network', () => {
  const network = (path: string, live: unknown, desired: unknown): boolean =>
    same(
      'NetworkAttachmentDefinition',
      'k8s.cni.cncf.io/v1',
      path,
      JSON.stringify(live),
      JSON.stringify(desired),
    );
  const config = {
    cniVersion: '0.3.1',
    name: 'prod',
    type: 'bridge',
    bridge: 'mgmt-br',
    promiscMode: true,
    vlan: 100,
    ipam: {},
  };

  test('keeps a config that Harvester decodes to the same, with the MTU that it filled in', () => {
    expect(
      network('spec.config', { ...config, dns: {}, isGateway: false, mtu: 9000 }, config),
    ).toBe(true);
    expect(network('spec.config', { ...config, mtu: 9000 }, { ...config, mtu: 1500 })).toBe(false);
    expect(network('spec.config', config, { ...config, vlan: 101 })).toBe(false);
    expect(network('spec.config', { ...config, other: 1 }, config)).toBe(false);
    expect(network('spec.config', { ...config, vlan: '100' }, config)).toBe(false);
  });

  test('keeps the route that Harvester completed', () => {
    const route = 'metadata.annotations[network.harvesterhci.io/route]';
    expect(
      network(
        route,
        {
          mode: 'auto',
          serverIPAddr: '',
          cidr: '10.0.0.0/24',
          gateway: '10.0.0.1',
          connectivity: 'true',
        },
        { mode: 'auto' },
      ),
    ).toBe(true);
    expect(
      network(
        route,
        { mode: 'manual', cidr: '10.0.0.0/24', gateway: '10.0.0.1', connectivity: 'true' },
        { mode: 'auto' },
      ),
    ).toBe(false);
    expect(
      network(
        route,
        { mode: 'manual', cidr: '10.0.0.0/24', gateway: '10.0.0.1' },
        { mode: 'manual', cidr: '10.0.0.0/24', gateway: '10.0.0.2' },
      ),
    ).toBe(false);
  });
});
