import { createHash } from 'node:crypto';
import { Webhook } from './admission';
import { AGAIN_MS, Controllers, Reconciler, mark, now, setCondition } from './controllers';
import { harvesterWebhooks } from './harvester-admission';
import { SettingBehavior, settingsOf } from './harvester-settings';
import { Live } from './live';
import { Client } from '../client';

const HARVESTER = 'harvesterhci.io/v1beta1';
const HASH = 'harvesterhci.io/hash';
const POOLS = 'loadbalancer.harvesterhci.io/v1beta1';
const LB_CONTROLLER = 'lb-controller';
const NAMESPACE_FINALIZER = 'controller.cattle.io/namespace-auth';
const POOL_FINALIZER = 'wrangler.cattle.io/harvester-ipam-controller';
const IMAGE_FINALIZER = 'wrangler.cattle.io/vm-image-controller';
const MACHINE_LB_FINALIZER = 'wrangler.cattle.io/harvester-lb-vm-controller';
/** How often a download is tried again. @see harvester/harvester:pkg/controller/master/image/backingimage */
const DOWNLOAD_TRIES = 3;
const MACHINE_FINALIZER = 'wrangler.cattle.io/VMController.CleanupPVCAndSnapshot';
const REGISTRATION = 'cluster-registration-url';
const AGENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'cattle-cluster-agent', namespace: 'cattle-system' },
};

export interface HarvesterDoubleOptions {
  readonly version: string;
  readonly vip: string;
  /** Asks Rancher for the import manifest; returns what went wrong. */
  readonly register?: (url: string) => Promise<string | undefined>;
  /**
   * Whether a Rancher that this Harvester is registered with is connected: its controllers work
   * here, too.
   */
  readonly connected?: () => boolean;
  /**
   * Whether someone else answers for the downloads of images, see stand-ins.ts.
   *
   * @default - nothing serves them, as where the recordings were made
   */
  readonly servesImages?: (image: Live) => boolean;
}

/** The controllers and webhooks of the Harvester of a generation that was recorded. */
export class HarvesterDouble extends Controllers {
  /** All values of cluster-registration-url that were carried out. */
  public readonly registrations: string[] = [];
  /** How long a failed download rests before the next try. */
  public retryMs = 10_000;
  /**
   * Whether the objects are there that the recorded server lacked, so that every Setting can be
   * carried out. No recording shows that.
   */
  public isComplete = false;
  protected readonly webhooks: readonly Webhook[];
  private readonly settings: readonly SettingBehavior[];
  /** Whether it is 1.8 or later. */
  private readonly isNewer: boolean;

  protected readonly reconcilers: readonly Reconciler[] = [
    { apiVersion: HARVESTER, kind: 'Setting', reconcile: async (setting) => this.setting(setting) },
    {
      apiVersion: HARVESTER,
      kind: 'VirtualMachineImage',
      reconcile: async (image) => this.image(image),
    },
    { apiVersion: HARVESTER, kind: 'KeyPair', reconcile: async (pair) => this.keyPair(pair) },
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      reconcile: async (machine) => this.machine(machine),
    },
    { apiVersion: POOLS, kind: 'IPPool', reconcile: async (pool) => this.pool(pool) },
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      reconcile: async (namespace) => this.namespace(namespace),
    },
  ];

  public constructor(
    client: Client,
    private readonly options: HarvesterDoubleOptions,
  ) {
    super(client, 'harvester');
    const { version } = options;
    this.settings = settingsOf(version);
    this.isNewer = Number(version.split('.')[1]) >= 8;
    this.webhooks = harvesterWebhooks(client, version);
  }

  protected async bring(): Promise<void> {
    for (const name of [
      'harvester-system',
      'harvester-public',
      'cattle-system',
      'longhorn-system',
      'cattle-monitoring-system',
    ]) {
      await this.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    await this.ensure({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'vip', namespace: 'harvester-system' },
      data: { ip: this.options.vip },
    });
    await this.ensure({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
    await this.ensure({
      apiVersion: 'network.harvesterhci.io/v1beta1',
      kind: 'ClusterNetwork',
      metadata: { name: 'mgmt' },
    });
    await this.ensure({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: {
        name: 'harvester-longhorn',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'driver.longhorn.io',
      parameters: { numberOfReplicas: '3', staleReplicaTimeout: '30', migratable: 'true' },
      allowVolumeExpansion: true,
    });
    const { version } = this.options;
    await this.ensure({
      apiVersion: HARVESTER,
      kind: 'Setting',
      metadata: { name: 'server-version' },
      value: `v${version}`,
      default: '',
      status: {},
    });
    for (const setting of this.settings) {
      const value = setting.default === undefined ? {} : { default: setting.default };
      const status: Live['status'] = setting.atStart ? { conditions: [] } : {};
      if (setting.atStart) {
        setCondition(status.conditions, { type: 'configured', status: 'False' });
      }
      await this.ensure({
        apiVersion: HARVESTER,
        kind: 'Setting',
        metadata: {
          name: setting.name,
          ...(setting.atStart && setting.fails === undefined
            ? { annotations: { [HASH]: hashOf('') } }
            : {}),
        },
        ...value,
        status,
      });
    }
  }

  /** Only Settings with a syncer; writing an object back removes an empty value and its owner. */
  private async setting(setting: Live): Promise<number | void> {
    const { name, annotations = {} } = setting.metadata as {
      name: string;
      annotations?: { [key: string]: string };
    };
    const behavior = this.settings.find((known) => known.name === name);
    const value = String(setting.value ?? '');
    const conditions = (setting.status?.conditions ?? []) as object[];
    if (behavior?.dropsEmpty && setting.value === '' && annotations[HASH] === hashOf('')) {
      return void (await this.update(setting, (draft) => {
        delete draft.value;
      }));
    }
    if (
      !behavior?.synced ||
      annotations[HASH] === hashOf(value) ||
      (value === '' && conditions.length === 0)
    ) {
      return;
    }
    const problem =
      (this.isComplete ? undefined : behavior.fails) ??
      (value === '' ? behavior.emptyFails : undefined) ??
      (name === REGISTRATION ? await this.registration(value) : undefined);
    await this.update(setting, (draft) => {
      (draft.status ??= {}).conditions ??= [];
      setCondition(draft.status.conditions, {
        type: 'configured',
        status: problem === undefined && value !== '' ? 'True' : 'False',
        message: problem,
      });
      if (problem === undefined) {
        mark(draft, undefined, { [HASH]: hashOf(value) });
      }
      // omitted when empty, so that its manager loses the field
      if (draft.value === '' && JSON.stringify(draft) !== JSON.stringify(setting)) {
        delete draft.value;
      }
    });
    // the previous value is kept, and it is tried again
    return problem === undefined ? undefined : 2 * AGAIN_MS;
  }

  // test/recordings: seen, registration
  private async registration(value: string): Promise<string | undefined> {
    const url = urlOf(value);
    if (this.registrations.at(-1) !== value) {
      this.registrations.push(value);
    }
    if (url === '') {
      // a misspelled key is a reset, too
      await this.remove(AGENT);
      return undefined;
    }
    const problem = await this.options.register?.(url);
    if (problem === undefined) {
      const labels = { app: AGENT.metadata.name };
      await this.ensure({
        ...AGENT,
        spec: {
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'cluster-register', image: 'rancher/rancher-agent' }] },
          },
        },
      });
    }
    return problem;
  }

  private async keyPair(pair: Live): Promise<number | void> {
    if (pair.metadata.deletionTimestamp) {
      return;
    }
    await this.update(pair, (draft) => {
      draft.status ??= {
        conditions: [],
        fingerPrint: fingerprintOf(pair.spec.publicKey as string),
      };
      setCondition(draft.status.conditions, { type: 'validated', status: 'True' });
    });
  }

  private async image(image: Live): Promise<number | void> {
    if (image.metadata.deletionTimestamp) {
      return void (await this.release(image, IMAGE_FINALIZER));
    }
    const served = this.options.servesImages?.(image) ?? false;
    const url = image.spec.url as string | undefined;
    if (
      await this.update(image, (draft) => {
        mark(draft, IMAGE_FINALIZER);
        for (const field of ['checksum', 'pvcName', 'pvcNamespace']) {
          draft.spec[field] ??= '';
        }
        if (!served && url && !draft.status) {
          draft.status = failedDownload(url, 1);
        }
      })
    ) {
      return;
    }
    const failed = Number(image.status?.failed ?? 0);
    // the recording of the older generation ends after one more try
    const tries = this.isNewer ? DOWNLOAD_TRIES : 1;
    if (served || !url || failed === 0 || failed > tries) {
      return;
    }
    const rested = Date.now() - Date.parse(image.status.lastFailedTime as string);
    if (rested < this.retryMs) {
      return this.retryMs - rested;
    }
    await this.update(image, (draft) => {
      draft.status = failedDownload(url, failed + 1);
    });
  }

  private async machine(machine: Live): Promise<number | void> {
    const finalizers = (machine.metadata.finalizers ?? []) as string[];
    if (machine.metadata.deletionTimestamp) {
      const isBalanced = finalizers.includes(MACHINE_LB_FINALIZER);
      return void (await (isBalanced
        ? this.release(machine, MACHINE_LB_FINALIZER, LB_CONTROLLER)
        : this.release(machine, MACHINE_FINALIZER)));
    }
    if (finalizers.includes(MACHINE_FINALIZER)) {
      const manager = LB_CONTROLLER;
      return void (
        this.isNewer &&
        (await this.update(machine, (draft) => mark(draft, MACHINE_LB_FINALIZER), { manager }))
      );
    }
    await this.update(machine, (draft) => {
      mark(draft, MACHINE_FINALIZER);
      draft.spec.template.metadata = { ...draft.spec.template.metadata, creationTimestamp: null };
      draft.status ??= {};
    });
  }

  private async pool(pool: Live): Promise<number | void> {
    if (pool.metadata.deletionTimestamp) {
      return void (await this.release(pool, POOL_FINALIZER, LB_CONTROLLER));
    }
    await this.update(
      pool,
      (draft) => {
        mark(draft, POOL_FINALIZER);
        const total = sizeOf(pool.spec.ranges as Range[]);
        draft.status ??= { available: total, total, lastAllocated: '', conditions: [] };
        setCondition(draft.status.conditions, { type: 'Ready', status: 'True' });
      },
      { manager: LB_CONTROLLER },
    );
  }

  // test/recordings: seen, connection while Rancher's agent is there; without it, namespaces of
  // projects hang in their deletion
  private async namespace(namespace: Live): Promise<number | void> {
    const { annotations = {}, deletionTimestamp } = namespace.metadata as {
      annotations?: { [key: string]: string };
      deletionTimestamp?: string;
    };
    const project = annotations['field.cattle.io/projectId'];
    if (!project) {
      return;
    }
    const held = ((namespace.metadata.finalizers ?? []) as string[]).includes(NAMESPACE_FINALIZER);
    if (!this.options.connected?.()) {
      if (deletionTimestamp && held) {
        this.problem(`Namespace ${namespace.metadata.name} hangs: it went after its Rancher`);
      }
      return AGAIN_MS;
    }
    if (deletionTimestamp) {
      return void (await this.release(namespace, NAMESPACE_FINALIZER));
    }
    await this.update(namespace, (draft) =>
      mark(
        draft,
        NAMESPACE_FINALIZER,
        { 'cattle.io/status': '{}', 'lifecycle.cattle.io/create.namespace-auth': 'true' },
        { 'field.cattle.io/projectId': project.split(':')[1] },
      ),
    );
  }
}

interface Range {
  readonly rangeStart?: string;
  readonly rangeEnd?: string;
  readonly subnet: string;
}

/** How many addresses ranges have; those of a whole subnet without its first and its last. */
function sizeOf(ranges: readonly Range[] = []): number {
  return ranges
    .map(({ rangeStart, rangeEnd, subnet }) =>
      rangeStart && rangeEnd
        ? numberOf(rangeEnd) - numberOf(rangeStart) + 1
        : 2 ** (32 - Number(subnet.split('/')[1])) - 2,
    )
    .reduce((sum, size) => sum + size, 0);
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

function failedDownload(url: string, failed: number): object {
  const { host } = new URL(url);
  const words = `failed due to error: Head "${url}": dial tcp ${host}: connect: connection refused`;
  const conditions: Parameters<typeof setCondition>[0] = [];
  const message = failed > 1 ? `retry attempted ${failed - 1}/${DOWNLOAD_TRIES} ${words}` : words;
  const isLast = failed > DOWNLOAD_TRIES;
  setCondition(conditions, {
    type: 'RetryLimitExceeded',
    status: isLast ? 'True' : 'False',
    message,
  });
  if (isLast) {
    setCondition(conditions, { type: 'Initialized', status: 'False', message });
  }
  return { appliedUrl: url, conditions, failed, lastFailedTime: now() };
}

/** MD5 of a public key, as ssh-keygen prints it. */
function fingerprintOf(publicKey: string): string {
  return createHash('md5')
    .update(Buffer.from(publicKey.split(' ')[1] ?? '', 'base64'))
    .digest('hex')
    .match(/../g)!
    .join(':');
}

function hashOf(value: string): string {
  return createHash('sha224').update(value).digest('hex');
}

/** JSON, or a plain URL: test/recordings: seen, registration. */
function urlOf(value: string): string {
  if (!value.startsWith('{')) {
    return value;
  }
  return String((JSON.parse(value) as { url?: string }).url ?? '');
}
