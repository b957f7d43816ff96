import { Manifest } from '../../../src/core/manifest/manifest';
import { AssemblyTarget } from '../../../src/core/output/assembly';
import { checkWorld } from '../../../src/report/doctor/doctor';
import { Diagnosis, readWorld } from '../../../src/report/doctor/live-world';
import { FakeCluster, FakeClusterOptions, fakeTargets } from '../../support/fake-cluster';

export const NOW = new Date('2026-11-21T12:00:00Z');

export const TOKEN = 'sekret0123456789registrationtoken';
export const ID = 'c-m-harvdc01';
export const URL_OK = `https://rancher.example.com/v3/import/${TOKEN}_${ID}.yaml`;

export const TARGETS: { [name: string]: AssemblyTarget } = {
  rancher: {
    name: 'rancher',
    kind: 'rancher',
    version: '2.13.8',
    folder: 'rancher',
    construct: 'rancher',
    properties: { serverUrl: 'https://rancher.example.com' },
  },
  dc1: {
    name: 'dc1',
    kind: 'harvester',
    version: '1.7.2',
    folder: 'dc1',
    construct: 'dc1',
    properties: {},
  },
};

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

export function secret(
  within: string,
  name: string,
  data: { [key: string]: string },
  metadata: object = {},
): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: within, ...metadata },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
  };
}

export function setting(
  apiVersion: 'harvesterhci.io/v1beta1' | 'management.cattle.io/v3',
  name: string,
  value: string,
  more: object = {},
): Manifest {
  return { apiVersion, kind: 'Setting', metadata: { name }, value, ...more };
}

export const harvesterSetting = (name: string, value: string, more: object = {}): Manifest =>
  setting('harvesterhci.io/v1beta1', name, value, more);

export function condition(type: string, status: string, message = ''): object {
  return { status: { conditions: [{ type, status, message }] } };
}

export function managementCluster(name: string, connected = 'True'): Manifest {
  return {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Cluster',
    metadata: { name },
    spec: { displayName: 'dc1' },
    ...condition('Connected', connected),
  };
}

export function provisioningCluster(name: string, id: string, spec: object = {}): Manifest {
  return {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name, namespace: 'fleet-default' },
    spec,
    status: { clusterName: id },
  };
}

export function namespace(name: string, metadata: object = {}, more: object = {}): Manifest {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...metadata }, ...more };
}

export function nodeDriver(active: boolean): Manifest {
  return {
    apiVersion: 'management.cattle.io/v3',
    kind: 'NodeDriver',
    metadata: { name: 'harvester' },
    spec: { active, builtin: true },
  };
}

export function uiExtension(status: object): Manifest {
  return {
    apiVersion: 'catalog.cattle.io/v1',
    kind: 'UIPlugin',
    metadata: { name: 'harvester', namespace: 'cattle-ui-plugin-system' },
    spec: { plugin: {} },
    status,
  };
}

/** A Rancher and a Harvester that it manages, both well. */
export class Live {
  public readonly rancher: FakeCluster;
  public readonly dc1: FakeCluster;

  public constructor(options: FakeClusterOptions = {}) {
    this.rancher = new FakeCluster(options);
    this.dc1 = new FakeCluster(options);
    for (const manifest of [
      setting('management.cattle.io/v3', 'server-version', 'v2.13.8'),
      setting('management.cattle.io/v3', 'server-url', 'https://rancher.example.com'),
      nodeDriver(true),
      uiExtension({ cacheState: 'cached', ready: true }),
      managementCluster(ID),
      managementCluster('local'),
      provisioningCluster('dc1', ID),
      namespace(ID),
      secret(ID, 'crt-token-gitops', { token: TOKEN }),
    ]) {
      this.rancher.seed(manifest);
    }
    for (const manifest of [
      harvesterSetting('server-version', 'v1.7.2'),
      harvesterSetting(
        'cluster-registration-url',
        JSON.stringify({ url: URL_OK, insecureSkipTLSVerify: false }),
        condition('configured', 'True'),
      ),
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'cattle-cluster-agent', namespace: 'cattle-system' },
      },
    ]) {
      this.dc1.seed(manifest as Manifest);
    }
  }

  public async diagnose(): Promise<Diagnosis[]> {
    return checkWorld(
      await readWorld(fakeTargets({ rancher: this.rancher, dc1: this.dc1 }, TARGETS), NOW),
    );
  }

  /** The diagnoses of one check. */
  public async of(check: string): Promise<Diagnosis[]> {
    return (await this.diagnose()).filter((diagnosis) => diagnosis.check === check);
  }

  /** The only diagnosis of one check. */
  public async only(check: string): Promise<Diagnosis> {
    const found = await this.of(check);
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain(TOKEN);
    return found[0];
  }
}
