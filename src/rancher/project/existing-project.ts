import { Construct } from 'constructs';
import { Project, badName } from './project';
import { know } from '../../core/app/known-objects';
import { EdgeType, Edges } from '../../core/late/edge';
import { LateType } from '../../core/late/late-text';
import { LateSource, LateValue } from '../../core/late/late-value';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { failOnErrors, requireLiteral } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { IManagedCluster } from '../cluster/managed-cluster';
import { RancherGate } from '../version/rancher-gate';
import { RancherVersion } from '../version/rancher-version';

/**
 * Properties of an existing project.
 */
export interface ExistingTenantProjectProps {
  /** The cluster of the project. */
  readonly cluster: IManagedCluster;
  /** The name of the Project object: `p-` and five characters if Rancher created it, as the projects Default and System. */
  readonly name: string;
  /**
   * The namespace of the project's bindings on Rancher: `status.backingNamespace` of the Project.
   * @default - the namespace that this version of Rancher derives; a project of an earlier version has its bare name
   */
  readonly backingNamespace?: string;
}

/**
 * Properties of a project that Rancher creates with a cluster: Default or System.
 */
export interface BuiltInTenantProjectProps {
  /** The cluster of the project. */
  readonly cluster: IManagedCluster;
  /**
   * The name of the Project object, `p-` and five characters, if you know it. With it, everything in the project is plain text.
   * @default - a late value: the name of the project with the label of Rancher
   */
  readonly name?: string;
  /**
   * The namespace of the project's bindings on Rancher: `status.backingNamespace` of the Project.
   * @default - with a name, the namespace that this version of Rancher derives; otherwise a late value
   */
  readonly backingNamespace?: string;
}

/** How the program refers to a project that it does not declare. */
interface ProjectReference {
  /** The factory, for messages. */
  readonly what: string;
  /** The label that finds it if its name is unknown. */
  readonly label?: string;
}

/** A project that the program does not declare. */
export class ExistingTenantProject extends Project {
  constructor(scope: Construct, id: string, { what, label }: ProjectReference, { cluster, name, backingNamespace }: BuiltInTenantProjectProps) {
    super(scope, id, what, cluster, (project, version) => (name === undefined
      ? lateNames(project, cluster, label!, backingNamespace, version)
      : { name, backingNamespace }));
    if (name === undefined) { return; }
    requireLiteral(this, 'name', name);
    failOnErrors(this, RFC1123_LABEL.test(name) ? [] : [badName(name)]);
    know(this, { target: cluster.rancher, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Project', namespace: cluster.clusterId, name });
  }

  /** @internal */
  protected get _written(): undefined {
    return undefined;
  }
}

function lateNames(project: Construct, cluster: IManagedCluster, label: string, backingNamespace: string | undefined, version: RancherVersion) {
  const late = (id: string, what: string, path: string): string => {
    const value = new LateValue(project, id, {
      description: `${what} of the project of ${cluster.node.path} with label ${label}`,
      type: LateType.NAME,
      source: LateSource.labeledField({
        target: cluster.rancher, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Project', namespace: cluster.clusterId, label: `${label}=true`,
      }, path),
    });
    // Rancher creates it with the cluster
    const { defaultChild } = cluster.node;
    if (defaultChild) { Edges.of(value)._add(defaultChild, EdgeType.APPLIED); }
    return value.token;
  };
  const name = late('Name', 'name', 'metadata.name');
  // a project of an earlier version has an empty status: its namespace has its bare name
  const isDerived = FeatureGates.of(RancherGate.PROJECT_BACKING_NAMESPACE).supports(version);
  return { name, backingNamespace: backingNamespace ?? (isDerived ? late('BackingNamespace', 'backing namespace', 'status.backingNamespace|metadata.name') : name) };
}
