import { createHash } from 'node:crypto';
import { Webhook } from './admission';
import { Controllers, Reconciler, ageMs, mark } from './controllers';
import { SETTINGS } from './harvester-settings';
import { Live } from './live';
import { Platform } from './platform';
import { ObjectRef } from '../client';

/** What becomes of an object, as long as the server is not calm. */
export type Fate =
  | 'usual'
  /**
   * No controller handles it: it gets no status, and its controllers' finalizers are never removed.
   */
  | 'stuck'
  /** Its controllers come to it late. */
  | 'slow'
  /** Another program adds a label and an annotation. */
  | 'labeled'
  /** Another program changes a value that the program declares. */
  | 'overwritten'
  /** The server stores another value than it is sent, at every write. */
  | 'rewritten'
  /** Another program has a finalizer on it. */
  | 'held';

const SOMEONE = 'someone-else';
const FINALIZER = 'example.com/held';
const SLOW_MS = 1_500;

/** Which kinds another program writes to, and what it overwrites there. */
const OVERWRITES: { readonly [kind: string]: (draft: Live, calm: boolean) => void } = {
  ConfigMap: (draft, calm) => {
    draft.data.value = calm ? DECLARED : 'overwritten';
  },
};

/** The value of every ConfigMap of the programs that run here. */
export const DECLARED = 'declared';

/**
 * Kinds whose controllers leave a status, so that they can be stuck; of Settings those that are
 * carried out.
 */
const WITH_STATUS: readonly string[] = [
  'KeyPair',
  'IPPool',
  'VirtualMachineImage',
  'Project',
  'Cluster',
];

/**
 * Makes any object of a platform never become ready, become ready late, or be rewritten, chosen by
 * a seed: the same seed and the same name have the same fate.
 * Another program that writes to the objects is part of it.
 */
export class Chaos extends Controllers {
  public calm = true;
  protected readonly webhooks: readonly Webhook[] = [
    {
      name: 'rewrites.example.com',
      apiVersion: 'v1',
      resource: 'configmaps',
      operations: ['CREATE', 'UPDATE'],
      mutate: (draft) => this.rewrite(draft),
    },
  ];

  protected readonly reconcilers: readonly Reconciler[] = [
    ['v1', 'ConfigMap'],
    ['harvesterhci.io/v1beta1', 'KeyPair'],
    ['loadbalancer.harvesterhci.io/v1beta1', 'IPPool'],
    ['harvesterhci.io/v1beta1', 'VirtualMachineImage'],
  ].map(([apiVersion, kind]) => ({
    apiVersion,
    kind,
    reconcile: async (object) => this.meddle(object),
  }));

  private dice = '';
  private prefix = '-';

  /** @param settings that the programs have */
  public constructor(
    platform: Platform,
    private readonly settings: readonly string[],
  ) {
    super(platform.clients.harvester, SOMEONE);
    // two of its writers undo each other's value without end
    this.paceMs = 250;
    platform.doubles.forEach((double) => {
      double.only = (object) => this.isLookedAfter(object);
    });
  }

  /**
   * Starts the faults.
   *
   * @param prefix of the names or namespaces of the objects that it is about
   */
  public begin(seed: string, prefix: string): void {
    this.dice = seed;
    this.prefix = prefix;
    this.calm = false;
  }

  /** Ends the faults: objects that hung continue, and the other program reverts its edits. */
  public async becomeCalm(): Promise<void> {
    this.calm = true;
    for (const { apiVersion, kind } of this.reconcilers) {
      for (const object of await this.list(apiVersion, kind)) {
        if (this.isOurs(object)) {
          await this.meddle(object);
        }
      }
    }
  }

  public fateOf({ kind, metadata: { name, namespace = '' } }: ObjectRef): Fate {
    const id = [
      this.dice,
      kind,
      namespace.replace(this.prefix, ''),
      name.replace(this.prefix, ''),
    ].join('/');
    const share = createHash('sha256').update(id).digest().readUInt32BE() / 2 ** 32;
    const fates: Fate[] = ['usual', 'slow'];
    const isSynced =
      kind === 'Setting' && SETTINGS.some((setting) => setting.name === name && setting.synced);
    if (isSynced || WITH_STATUS.includes(kind)) {
      fates.push('stuck', 'stuck');
    }
    if (this.reconcilers.some((reconciler) => reconciler.kind === kind)) {
      fates.push('labeled', 'held');
    }
    if (kind in OVERWRITES) {
      fates.push('overwritten', 'rewritten');
    }
    return fates[Math.floor(share * fates.length)];
  }

  /** What really keeps an object from being ready now. */
  public isStuck(object: ObjectRef): boolean {
    return !this.calm && this.fateOf(object) === 'stuck';
  }

  protected async bring(): Promise<void> {
    /* it has no objects */
  }

  private isOurs({ kind, metadata: { name, namespace = '' } }: ObjectRef): boolean {
    if (kind === 'Setting') {
      return this.settings.includes(name);
    }
    // the inventory and the lock of the command line are elsewhere
    return (
      namespace !== 'kube-system' && (name.includes(this.prefix) || namespace.includes(this.prefix))
    );
  }

  private isLookedAfter(object: Live): boolean {
    if (this.calm || !this.isOurs(object)) {
      return true;
    }
    const fate = this.fateOf(object);
    return fate === 'slow' ? ageMs(object.metadata.creationTimestamp) > SLOW_MS : fate !== 'stuck';
  }

  private rewrite(draft: Live): void {
    if (!this.calm && this.isOurs(draft) && this.fateOf(draft) === 'rewritten') {
      draft.data.value = `${DECLARED}-rewritten`;
    }
  }

  private async meddle(object: Live): Promise<void> {
    if (!this.isOurs(object)) {
      return;
    }
    const fate = this.fateOf(object);
    if (fate === 'held') {
      if (this.calm) {
        return void (await this.release(object, FINALIZER));
      }
      if (!object.metadata.deletionTimestamp) {
        await this.update(object, (draft) => mark(draft, FINALIZER));
      }
    }
    if (object.metadata.deletionTimestamp) {
      return;
    }
    if (fate === 'labeled') {
      await this.update(object, (draft) =>
        mark(draft, undefined, { 'example.com/note': 'theirs' }, { 'example.com/team': 'theirs' }),
      );
    }
    if (fate === 'overwritten') {
      await this.update(object, (draft) => OVERWRITES[object.kind](draft, this.calm));
    }
  }
}
