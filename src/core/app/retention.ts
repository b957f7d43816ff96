import { IConstruct } from 'constructs';
import { Manifest, groupOf } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';
import { DeletionNote } from '../manifest/object-notes';

type Choice = 'retain' | 'delete';

const CHOICE = Symbol.for('cdk8s-harvester.Retention');

/**
 * Whether objects stay on the cluster once they are removed from the program, or the program is destroyed.
 *
 * Applies to all objects at and below a construct; the choice at the nearest construct wins. Without a choice, objects are deleted, except for those that
 * Rancher or Harvester made itself: management Clusters, AuthConfigs, Features, Settings, Nodes, built-in add-ons and the like are kept or reset.
 *
 * `plan`, `apply`, `destroy` and `lint --before` honour the choice. For GitOps engines, objects that are kept carry the annotations by which Flux,
 * Argo CD, Fleet and Helm keep an object, and so do Settings of Rancher, which engines cannot reset. The choice takes effect when it is applied: apply it before you remove the object from the program.
 *
 * @example
 * import { HarvesterApp, HarvesterChart, Retention } from 'cdk8s-harvester';
 *
 * const app = new HarvesterApp();
 * const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
 * Retention.of(dc1).retain();
 */
export class Retention {
  /** The retention of a construct and of all objects below it. */
  public static of(construct: IConstruct): Retention {
    return new Retention(construct);
  }

  /**
   * What a construct, or the nearest one above it, says.
   * @internal
   */
  public static _choiceOf(construct: IConstruct): Choice | undefined {
    return (construct as { [CHOICE]?: Choice })[CHOICE] ?? (construct.node.scope && Retention._choiceOf(construct.node.scope));
  }

  private constructor(private readonly construct: IConstruct) {}

  /** Keeps the objects on the cluster; they are no longer managed once the program does not declare them. */
  public retain(): void {
    this.choose('retain');
  }

  /**
   * Deletes the objects, also those that are kept by default. What would break the cluster is never deleted: Settings, system namespaces, built-in
   * objects of Rancher and Harvester.
   */
  public delete(): void {
    this.choose('delete');
  }

  private choose(choice: Choice): void {
    Object.defineProperty(this.construct, CHOICE, { value: choice, configurable: true });
  }
}

/** What deleting an object means, by the program's choice, what its construct knows, and the default of its kind. */
export function deletionOf(choice: Choice | undefined, noted: DeletionNote | undefined, byDefault: string | undefined): DeletionNote | undefined {
  if (choice === 'retain') { return { policy: 'keep', reason: 'is retained by the program' }; }
  if (noted?.policy === 'reset') { return noted; }
  if (choice === 'delete') { return noted?.policy === 'delete' ? noted : { policy: 'delete', reason: 'is deleted by the choice of the program' }; }
  return noted ?? (byDefault === undefined ? undefined : { policy: 'keep', reason: byDefault });
}

/**
 * Whether GitOps engines must keep an object that is removed. They cannot reset a Setting of Rancher, and deleting one drops a value that was there
 * before the program, such as that of `server-url`.
 */
export function isKept({ apiVersion, kind }: Manifest, deletion: DeletionNote | undefined): boolean {
  return deletion?.policy === 'keep' || (deletion?.policy === 'reset' && kind === 'Setting' && groupOf(apiVersion) === GROUPS.MANAGEMENT);
}
