import { Construct } from 'constructs';
import { ExistingResourceOptions } from '../../core/app/resource';
import {
  checkTargetName,
  IHarvesterTarget,
  IRancherTarget,
  ITarget,
  know,
  rancherTargetOf,
  TargetKind,
} from '../../core/construct/target';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS, FLEET_DEFAULT, RFC1123_LABEL } from '../../core/manifest/names';
import { rfc1123LabelProblem } from '../../core/problem/label';
import {
  Problem,
  collectProblems,
  failOnErrors,
  parsed,
  requireLiteral,
  withPart,
} from '../../core/problem/problem';
import { SecretValue } from '../../core/value/secret-value';
import { ManagedCluster, lateClusterId } from '../../rancher/cluster/managed-cluster';
import { GuestChart } from '../guest-chart';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';
import { makeGuestChart, IGuestCluster, guestKubeconfig } from '../parts/guest-cluster-ref';

/** Options of a reference to an existing guest cluster, by the name of its provisioning Cluster. */
export interface ExistingGuestClusterOptions extends ExistingResourceOptions {
  /** The Kubernetes version with the release of the distribution, e.g. `v1.33.6+rke2r1`. */
  readonly kubernetesVersion: string;
  /**
   * The Fleet workspace of the cluster: the namespace of its provisioning Cluster.
   * @default 'fleet-default'
   */
  readonly fleetWorkspace?: string;
  /**
   * The management cluster ID: in the URL of Rancher's UI, or `status.clusterName` of the
   * provisioning Cluster.
   * @default - a late value, which Rancher knows
   */
  readonly clusterId?: string;
  /**
   * The Harvester cluster that its machines run on.
   * @default - not known to the program: rules that need it do not apply
   */
  readonly harvester?: IHarvesterTarget;
  /**
   * The name of the target: the folder with the manifests for the guest cluster itself.
   * @default - the name of the Cluster
   */
  readonly targetName?: string;
}

/** A guest cluster that the program does not declare. */
export class ExistingGuestCluster extends ManagedCluster implements IGuestCluster {
  public readonly fleetWorkspace: string;
  public readonly kubernetesVersion: string;
  public readonly chart: GuestChart;
  /** @internal */
  public readonly _clusterTarget: ITarget;
  /** @internal */
  public readonly _exists = true;
  private readonly knownId?: string;

  constructor(scope: Construct, id: string, options: ExistingGuestClusterOptions) {
    super(scope, id, { name: options.name });
    const { name, fleetWorkspace = FLEET_DEFAULT, clusterId, harvester, targetName } = options;
    this.fleetWorkspace = fleetWorkspace;
    const literals = { fleetWorkspace, kubernetesVersion: options.kubernetesVersion };
    for (const [prop, value] of Object.entries(literals)) {
      requireLiteral(this, prop, value);
    }
    collectProblems(this, [
      ...checkOptions(options),
      ...(targetName === undefined ? [] : checkTargetName(targetName, targetName)),
    ]);
    this.kubernetesVersion = withPart(this, () =>
      parsed(this, 'kubernetesVersion', () =>
        KubernetesVersion.parse(options.kubernetesVersion).toString(),
      ),
    );
    failOnErrors(this);
    this.knownId = clusterId;
    know(this, {
      target: this.rancher,
      apiVersion: API_VERSIONS.PROVISIONING,
      kind: 'Cluster',
      namespace: fleetWorkspace,
      name,
    });
    if (clusterId !== undefined) {
      know(this, {
        target: this.rancher,
        apiVersion: API_VERSIONS.MANAGEMENT,
        kind: 'Cluster',
        name: clusterId,
      });
    }
    const chart = makeGuestChart(this, {
      targetName: targetName ?? name,
      version: this.kubernetesVersion,
      provisioningCluster: `${fleetWorkspace}/${name}`,
      rancher: this.rancher,
      harvester,
    });
    this.chart = chart;
    this._clusterTarget = chart;
  }

  /** @internal */
  public _requireTarget(): IRancherTarget {
    return rancherTargetOf(this, 'GuestCluster.fromName');
  }

  public get clusterId(): string {
    return this.knownId ?? lateClusterId(this, this.fleetWorkspace);
  }

  public get kubeconfig(): SecretValue {
    return guestKubeconfig(this, this.name);
  }
}

function* checkOptions({
  name,
  fleetWorkspace = FLEET_DEFAULT,
  clusterId,
  harvester,
}: ExistingGuestClusterOptions): Iterable<Problem> {
  for (const [path, value, fix] of [
    ['name', name, 'set metadata.name of the provisioning Cluster'],
    ['fleetWorkspace', fleetWorkspace, 'set metadata.namespace of the provisioning Cluster'],
    [
      'clusterId',
      clusterId,
      "copy it from the URL of Rancher's UI, e.g. c-m-abcd1234, or remove it",
    ],
  ] as const) {
    if (value !== undefined && !isLate(value) && !RFC1123_LABEL.test(value)) {
      yield rfc1123LabelProblem(path, value, fix);
    }
  }
  if (harvester && harvester.targetKind !== TargetKind.HARVESTER) {
    yield {
      path: 'harvester',
      value: harvester.node.path,
      message: `must be a Harvester target: it is a ${harvester.targetKind} target`,
      fix: 'set it to a HarvesterChart',
    };
  }
}
