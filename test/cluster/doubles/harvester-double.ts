import { createHash } from 'node:crypto';
import { ageMs, condition, Controllers, Live, Reconciler } from './controllers';
import { Client } from '../client';

const HARVESTER = 'harvesterhci.io/v1beta1';
const HASH = 'harvesterhci.io/hash';
const NAMESPACE_FINALIZER = 'controller.cattle.io/namespace-auth';
const AGENT = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'cattle-cluster-agent', namespace: 'cattle-system' } };

/** How long the download of an image takes. */
const IMAGE_MS = 600;

export interface HarvesterDoubleOptions {
  readonly version: string;
  readonly vip: string;
  /** Asks Rancher for the import manifest; returns what went wrong. */
  readonly register: (url: string) => Promise<string | undefined>;
  /** Whether a Rancher that this Harvester is registered with is connected: its controllers work here, too. */
  readonly connected: () => boolean;
}

/** The controllers of Harvester 1.7.2 that an apply meets. Each behaviour names its fact, in live.md or apply.md. */
export class HarvesterDouble extends Controllers {
  /** All values of cluster-registration-url that were carried out. */
  public readonly registrations: string[] = [];
  /** Names of images whose download never works. */
  public readonly brokenImages = new Set<string>();

  protected readonly reconcilers: readonly Reconciler[] = [
    { apiVersion: HARVESTER, kind: 'Setting', reconcile: async (setting) => this.setting(setting) },
    { apiVersion: HARVESTER, kind: 'VirtualMachineImage', reconcile: async (image) => this.image(image) },
    { apiVersion: HARVESTER, kind: 'KeyPair', reconcile: async (pair) => this.writeStatus(pair, { conditions: [condition('validated', 'True')] }) },
    { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool', reconcile: async (pool) => this.pool(pool) },
    { apiVersion: 'v1', kind: 'Namespace', reconcile: async (namespace) => this.namespace(namespace) },
  ];

  public constructor(client: Client, private readonly options: HarvesterDoubleOptions) {
    super(client, 'harvester');
  }

  // live.md 8.3: Settings are there from the start; harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/settings.go: without a value until one is given
  public async seed(): Promise<void> {
    for (const name of ['harvester-system', 'cattle-system']) { await this.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }); }
    await this.ensure({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'vip', namespace: 'harvester-system' }, data: { ip: this.options.vip } });
    await this.ensure({ apiVersion: HARVESTER, kind: 'Setting', metadata: { name: 'server-version' }, value: `v${this.options.version}`, default: '' });
    for (const name of ['cluster-registration-url', 'ntp-servers', 'overcommit-config', 'additional-ca']) {
      await this.ensure({ apiVersion: HARVESTER, kind: 'Setting', metadata: { name }, default: '' });
    }
  }

  // apply.md finding 11, live.md 8.2
  private async setting(setting: Live): Promise<void> {
    const { name, annotations = {} } = setting.metadata as { name: string; annotations?: { [key: string]: string } };
    const value = String(setting.value ?? '');
    const hash = createHash('sha224').update(value).digest('hex');
    if (name === 'server-version' || annotations[HASH] === hash) { return; }
    const problem = name === 'cluster-registration-url' ? await this.registration(value) : undefined;
    if (problem !== undefined) {
      // what was there before stays, and it is tried again
      return this.writeStatus(setting, { conditions: [condition('configured', 'False', problem)] });
    }
    await this.writeStatus(setting, { conditions: [condition('configured', value === '' ? 'False' : 'True')] });
    await this.write(setting, { metadata: { annotations: { [HASH]: hash } } });
  }

  private async registration(value: string): Promise<string | undefined> {
    const url = urlOf(value);
    this.registrations.push(value);
    if (url === '') {
      // a misspelled key is a reset, too
      await this.remove(AGENT);
      return undefined;
    }
    const problem = await this.options.register(url);
    if (problem === undefined) {
      const labels = { app: AGENT.metadata.name };
      await this.ensure({
        ...AGENT, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'cluster-register', image: 'rancher/rancher-agent' }] } } },
      });
    }
    return problem;
  }

  // live.md 8.6
  private async image(image: Live): Promise<void> {
    if (image.metadata.deletionTimestamp) { return; }
    await this.write(image, {
      metadata: { annotations: { 'harvesterhci.io/storageClassName': 'harvester-longhorn' }, labels: { 'harvesterhci.io/imageDisplayName': image.spec.displayName } },
      spec: { backend: image.spec.backend ?? 'backingimage', retry: image.spec.retry ?? 3, checksum: image.spec.checksum ?? '' },
    });
    if (this.brokenImages.has(image.metadata.name)) {
      return this.writeStatus(image, { conditions: [condition('Initialized', 'True'), condition('RetryLimitExceeded', 'True', 'downloading failed: 404 Not Found')] });
    }
    const done = ageMs(image.metadata.creationTimestamp) > IMAGE_MS;
    await this.writeStatus(image, {
      progress: done ? 100 : 40, conditions: [condition('Initialized', 'True'), ...(done ? [condition('Imported', 'True')] : [])],
    });
  }

  // live.md 10
  private async pool(pool: Live): Promise<void> {
    if (pool.metadata.deletionTimestamp) { return; }
    await this.write(pool, { metadata: { labels: { 'loadbalancer.harvesterhci.io/global-ip-pool': 'false', 'loadbalancer.harvesterhci.io/vid': '0' } } });
    await this.writeStatus(pool, { available: 20, total: 20, lastAllocated: '', conditions: [condition('Ready', 'True')] });
  }

  // live.md 12.1 while Rancher's agent is there; apply.md 3.11: without it, namespaces of projects hang in their deletion
  private async namespace(namespace: Live): Promise<void> {
    const { annotations = {}, deletionTimestamp } = namespace.metadata as { annotations?: { [key: string]: string }; deletionTimestamp?: string };
    const project = annotations['field.cattle.io/projectId'];
    if (!project) { return; }
    if (!this.options.connected()) {
      if (deletionTimestamp) { this.problem(`Namespace ${namespace.metadata.name} hangs: it went after its Rancher`); }
      return;
    }
    if (deletionTimestamp) { return this.removeFinalizer(namespace, NAMESPACE_FINALIZER); }
    await this.addFinalizer(namespace, NAMESPACE_FINALIZER);
    await this.write(namespace, {
      metadata: {
        annotations: { 'cattle.io/status': '{}', 'lifecycle.cattle.io/create.namespace-auth': 'true' },
        labels: { 'field.cattle.io/projectId': project.split(':')[1] },
      },
    });
  }
}

/** What a guest cluster of this platform has: the cloud provider gives addresses to Services. */
export class GuestDouble extends Controllers {
  protected readonly reconcilers: readonly Reconciler[] = [{
    apiVersion: 'v1',
    kind: 'Service',
    reconcile: async (service) => {
      if (service.spec.type === 'LoadBalancer') { await this.writeStatus(service, { loadBalancer: { ingress: [{ ip: '10.10.100.200', ipMode: 'VIP' }] } }); }
    },
  }];

  public constructor(client: Client) {
    super(client, 'harvester-cloud-provider');
  }

  public async seed(): Promise<void> { /* a new cluster has nothing */ }
}

// apply.md finding 10: JSON, or a plain URL
function urlOf(value: string): string {
  if (!value.startsWith('{')) { return value; }
  return String((JSON.parse(value) as { url?: string }).url ?? '');
}
