import { IConstruct } from 'constructs';
import { DeletionNote } from '../kind/description/removal';
import { neverDeletedByEngines } from '../kind/retention';
import { Manifest, groupOf } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';

/** @internal */
export type RetentionChoice = 'retain' | 'delete';

const CHOICE = Symbol.for('cdk8s-harvester.Retention');

/**
 * Whether objects are kept on the cluster when they are removed from the program, or the program is
 * destroyed.
 *
 * Applies to all objects at and below a construct, and to those that it wrote on other clusters,
 * e.g. the account of a guest cluster on Harvester, or the namespaces of a project; the choice at
 * the nearest construct wins. That of a chart is for the objects on its cluster.
 * Without a choice, objects are deleted, except those that Rancher or Harvester created: management
 * Clusters, AuthConfigs, Features, Settings, Nodes, built-in add-ons, and similar objects are kept
 * or reset.
 *
 * `plan`, `apply`, `destroy` and `lint --before` honor the choice. For GitOps engines, kept objects
 * have the annotations with which Flux, Argo CD, Fleet, and Helm keep an object, and so do Settings
 * of Rancher, which engines cannot reset. `apply` does not need the annotations, and adds them to
 * no object that exists without them. The choice takes effect when it is applied: apply it before
 * you remove the object from the program.
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

  /** The choice at a construct itself. @internal */
  public static _choiceAt(construct: IConstruct): RetentionChoice | undefined {
    return (construct as { [CHOICE]?: RetentionChoice })[CHOICE];
  }

  private constructor(private readonly construct: IConstruct) {}

  /**
   * Keeps the objects on the cluster. Once the program no longer declares them, they are not
   * managed.
   */
  public retain(): void {
    this.choose('retain');
  }

  /**
   * Deletes the objects, including those that are kept by default. Objects that the cluster needs
   * are never deleted: Settings, system namespaces, built-in objects of Rancher and Harvester.
   */
  public delete(): void {
    this.choose('delete');
  }

  private choose(choice: RetentionChoice): void {
    Object.defineProperty(this.construct, CHOICE, { value: choice, configurable: true });
  }
}

/**
 * What deleting an object means, by the program's choice, what constructs know, and the kind.
 *
 * @param byDefault why objects of the server are kept
 */
export function deletionOf(
  choice: RetentionChoice | undefined,
  own: DeletionNote | undefined,
  ofKind: DeletionNote | undefined,
  byDefault: string | undefined,
): DeletionNote | undefined {
  const noted =
    own ?? (ofKind?.policy === 'delete' && byDefault !== undefined ? undefined : ofKind);
  if (choice === 'retain') {
    return { policy: 'keep', reason: 'is retained by the program' };
  }
  if (noted?.policy === 'reset') {
    return noted;
  }
  if (choice === 'delete') {
    return {
      ...(noted?.policy === 'delete'
        ? noted
        : { policy: 'delete', reason: 'is deleted by the choice of the program' }),
      chosen: true,
    };
  }
  return noted ?? (byDefault === undefined ? undefined : { policy: 'keep', reason: byDefault });
}

/**
 * Whether GitOps engines must keep an object that is removed. They cannot reset a Setting of
 * Rancher, and deleting one drops a value that was there before the program, such as that of
 * `server-url`.
 */
export function isKept(manifest: Manifest, deletion: DeletionNote | undefined): boolean {
  return (
    deletion?.policy === 'keep' ||
    (deletion?.policy === 'reset' && groupOf(manifest.apiVersion) === GROUPS.MANAGEMENT) ||
    neverDeletedByEngines(manifest) !== undefined
  );
}
