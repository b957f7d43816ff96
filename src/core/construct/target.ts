import { Construct, IConstruct } from 'constructs';
import { attach, attached } from './scope';
import { RFC1123_LABEL } from '../manifest/names';
import { fail, Problem } from '../problem/problem';
import { classNameOf } from '../text/class-name';

/** The product that serves the Kubernetes API of a target. */
export enum TargetKind {
  /** The Rancher management cluster ("local"). */
  RANCHER = 'rancher',
  /** A Harvester cluster. */
  HARVESTER = 'harvester',
  /** A guest Kubernetes cluster on Harvester VMs, or an imported one elsewhere. */
  GUEST = 'guest',
}

/** A Kubernetes API that manifests are for. Target charts are targets. */
export interface ITarget extends IConstruct {
  /** Name of the target, unique in the program, and of the folder for its manifests. */
  readonly targetName: string;
  /** The product that serves the API. */
  readonly targetKind: TargetKind;
  /** The version of the product that runs there, e.g. `2.13.8`, `1.7.2`, `v1.33.6+rke2r1`. */
  readonly version: string;
}

/** The Rancher management cluster as a target. */
export interface IRancherTarget extends ITarget {
  /**
   * URL at which clusters and their nodes reach Rancher, without a path: the Rancher setting
   * `server-url`.
   */
  readonly serverUrl: string;
  /**
   * PEM bundle of the private certificate authority that signed Rancher's certificate.
   * @default - a public authority signed the certificate
   */
  readonly caCertificates?: string;
}

/** A Harvester cluster as a target. */
export interface IHarvesterTarget extends ITarget {
  /** The version of Harvester, e.g. `1.8.2`. */
  readonly harvesterVersion: string;
  /** The management address (VIP) of the Harvester cluster. @default - not known to the program */
  readonly vip?: string;
}

/** A guest cluster as a target. Its version is the Kubernetes version. */
export interface IGuestTarget extends ITarget {
  /** The Kubernetes version with the release of the distribution, e.g. `v1.33.6+rke2r1`. */
  readonly kubernetesVersion: string;
  /**
   * Its provisioning Cluster on Rancher, as `<namespace>/<name>`: apply uses it to find the
   * kubeconfig.
   * @default - not known to the program
   */
  readonly provisioningCluster?: string;
  /** The target of the Rancher that manages it. @default - not known to the program */
  readonly rancher?: IRancherTarget;
  /** The target of the Harvester that its machines run on. @default - not known to the program */
  readonly harvester?: IHarvesterTarget;
}

// a symbol from the registry, so that two copies of the library in one program know each other's
// charts
const TARGET = Symbol.for('cdk8s-harvester.Target');

/** Makes a construct the target of everything below it. */
export function markTarget(target: ITarget): void {
  (target as { [TARGET]?: true })[TARGET] = true;
}

/** Checks the name of a target: as given, or by default. */
export function checkTargetName(value: string, given: string | undefined): Problem[] {
  return RFC1123_LABEL.test(value)
    ? []
    : [
        {
          path: 'targetName',
          value,
          message:
            'must be an RFC 1123 label: at most 63 of a-z, 0-9, and hyphens, since it is a folder name',
          fix: given ? 'set another targetName' : 'set another chart ID, or set targetName',
        },
      ];
}

/** Whether a construct is a target. */
export function isTarget(construct: IConstruct): construct is ITarget {
  return TARGET in (construct as object);
}

/** The chart of a target, for constructs that write objects there for a construct elsewhere. */
export function chartOf(target: ITarget): Construct {
  return target as ITarget & Construct;
}

/** The target of a construct; undefined outside of target charts. */
export function targetOf(construct: IConstruct): ITarget | undefined {
  for (let scope: IConstruct | undefined = construct; scope; scope = scope.node.scope) {
    if (isTarget(scope)) {
      return scope;
    }
  }
  return undefined;
}

const CHART_OF_KIND: Record<TargetKind, string> = {
  [TargetKind.RANCHER]: 'RancherChart',
  [TargetKind.HARVESTER]: 'HarvesterChart',
  [TargetKind.GUEST]: 'GuestChart',
};

/**
 * The Rancher target of a construct; throws if it has another target or none.
 *
 * @param what needs it; by default the class of the construct
 */
export function rancherTargetOf(construct: IConstruct, what?: string): IRancherTarget {
  return requireTarget(construct, TargetKind.RANCHER, what) as IRancherTarget;
}

/** The Harvester target of a construct; throws if it has another target or none. */
export function harvesterTargetOf(construct: IConstruct, what?: string): IHarvesterTarget {
  return requireTarget(construct, TargetKind.HARVESTER, what) as IHarvesterTarget;
}

/** The guest target of a construct; throws if it has another target or none. */
export function guestTargetOf(construct: IConstruct, what?: string): IGuestTarget {
  return requireTarget(construct, TargetKind.GUEST, what) as IGuestTarget;
}

/** The target of a construct that clusters of every kind serve; throws if it has none. */
export function anyTargetOf(construct: IConstruct, what?: string): ITarget {
  return (
    targetOf(construct) ??
    fail(construct, [
      {
        path: '',
        message: `${what ?? classNameOf(construct.constructor)} must be in a target chart`,
        fix: `create it in a ${Object.values(CHART_OF_KIND).join(', ')}`,
      },
    ])
  );
}

function requireTarget(construct: IConstruct, kind: TargetKind, what: string | undefined): ITarget {
  const target = targetOf(construct);
  if (target?.targetKind !== kind) {
    const found = target
      ? `is in the ${target.targetKind} target "${target.targetName}"`
      : 'is not in a target chart';
    fail(construct, [
      {
        path: '',
        message: `${what ?? classNameOf(construct.constructor)} must be in a ${kind} target: this one ${found}`,
        fix: `create it in a ${CHART_OF_KIND[kind]}`,
      },
    ]);
  }
  return target;
}

/** An object on one of the clusters: declared by the program, or existing. */
export interface IResource extends IConstruct {
  /** The name of the object (`metadata.name`). */
  readonly name: string;
  /** The cluster that the object is on. */
  readonly target: ITarget;
}

/** A Namespace on one of the clusters: one that the program declares, or an existing one. */
export interface INamespace extends IResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly namespaceId: string;
}

/**
 * An object that the program refers to and does not write: one that is there, or that another
 * program makes. No more than its name is known.
 */
export interface KnownObject {
  readonly target: ITarget;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

const KNOWN = Symbol.for('cdk8s-harvester.KnownObjects');

/**
 * Declares that a construct refers to an existing object: rules treat it as existing. It is neither
 * written nor checked.
 */
export function know(construct: IConstruct, object: KnownObject): void {
  attach(construct, KNOWN, object);
}

/** The existing objects that a construct refers to. */
export function knownObjectsOf(construct: IConstruct): readonly KnownObject[] {
  return attached(construct, KNOWN);
}
