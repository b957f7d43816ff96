import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { MachineFacts } from './cluster-reader.facts';
import { ClusterPieces, checkClusterSpec, checkManifests, clusterSpec } from './cluster-spec';
import { ProvisionedClusterProps } from './provisioned-cluster-props';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { IHarvesterTarget, INamespace, ITarget, TargetKind } from '../../core/construct/target';
import { requireOpen } from '../../core/growing/synthesized';
import { sameValue } from '../../core/manifest/manifest';
import { API_VERSIONS, FLEET_DEFAULT } from '../../core/manifest/names';
import {
  Problem,
  collectProblems,
  failOnErrors,
  parsed,
  requireLiteral,
} from '../../core/problem/problem';
import { SecretValue } from '../../core/value/secret-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import {
  clusterAnnotations,
  lateClusterId,
  ManagedCluster,
  ClusterId,
} from '../../rancher/cluster/managed-cluster';
import { IHarvesterImport } from '../../rancher/import/harvester-import';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { ClusterAdditions } from '../additions/cluster-additions';
import { CloudProvider } from '../cloud-provider/cloud-provider';
import { GuestChart } from '../guest-chart';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';
import { KUBELET_ARG, checkReplacedLists } from '../kubernetes/kubernetes.check';
import {
  MachineFile,
  MachineSelector,
  checkSelectors,
  machineFilesSpec,
} from '../machine-file/machine-file';
import { ClusterContext, ClusterParts, ClusterFields, NodeFile } from '../parts/cluster-parts';
import { makeGuestChart, IGuestCluster, guestKubeconfig } from '../parts/guest-cluster-ref';
import { registriesSpec } from '../registries/registries';
import { GuestGate } from '../version/guest-gates.data';

/** The location of the machines of a cluster, and their part of the Cluster. */
export interface Machines {
  readonly harvesterImport?: IHarvesterImport;
  readonly namespace?: INamespace;
  /** What is known of the machines; undefined for custom clusters. */
  readonly facts?: MachineFacts;
  /** Checks the machines; the context is undefined if their location is not valid. */
  readonly check: (context: ClusterContext | undefined) => Iterable<Problem>;
  /** Writes the objects of the machines; what the Cluster waits for goes into `parts.before`. */
  readonly write: (
    context: ClusterContext,
    parts: ClusterParts,
  ) => Omit<ClusterPieces, 'registries' | 'selectorFiles'>;
}

/**
 * A provisioning Cluster with `rkeConfig`: the common part of guest clusters and custom clusters.
 * @internal
 */
export abstract class ProvisionedCluster extends ManagedCluster implements IGuestCluster {
  public readonly fleetWorkspace: string;
  public readonly clusterId: string;
  public readonly kubernetesVersion: string;
  public readonly chart: GuestChart;
  /** @internal */
  public readonly _clusterTarget: ITarget;
  /** @internal */
  public readonly _context: ClusterContext;
  /** @internal */
  public readonly _files: readonly NodeFile[];
  /** @internal */
  public readonly _cluster: ApiObject;
  /** @internal */
  protected readonly _additions = new ClusterAdditions();
  private readonly given: ProvisionedClusterProps;
  private readonly parts: ClusterParts;

  protected constructor(
    scope: Construct,
    id: string,
    props: ProvisionedClusterProps,
    machines: Machines,
  ) {
    super(scope, id, props);
    this.given = props;
    this.fleetWorkspace = props.fleetWorkspace ?? FLEET_DEFAULT;
    this._exists = props.clusterId?._isWritten === false;
    requireLiteral(this, 'fleetWorkspace', this.fleetWorkspace);
    requireLiteral(this, 'kubernetes.version', props.kubernetes.version);
    const rancher = RancherVersion.parse(this.rancher.version);
    const kubernetes = parsed(this, 'kubernetes.version', () =>
      KubernetesVersion.parse(props.kubernetes.version),
    );
    const fixedId = (props.clusterId ?? ClusterId._defaultFor(rancher))._of(
      this,
      this.fleetWorkspace,
      this.name,
    );
    const versions = { rancher, kubernetes };
    this._context = contextOf(this, props, machines, versions);
    const site = [...checkSite(this, machines)];
    const problems = [...checkClusterSpec(props, this.name, fixedId, this.rancher, versions)];
    collectProblems(this, [
      ...problems,
      ...site,
      ...machines.check(site.length === 0 ? this._context : undefined),
    ]);
    // what the cloud provider checks depends on both
    if (site.length > 0 || problems.some(({ path }) => path.startsWith('kubernetes'))) {
      failOnErrors(this);
    }

    this.clusterId = fixedId ?? lateClusterId(this, this.fleetWorkspace);
    this.kubernetesVersion = kubernetes.toString();
    const parts = collectParts(props, this._context);
    failOnErrors(this, props.machineSelectors && checkSelectedLists(parts, props.machineSelectors));
    this.parts = parts;
    this._files = parts.files;
    this._cluster = this.writeCluster(props, machines, parts, fixedId);
    const chart = makeGuestChart(this, {
      targetName: props.targetName ?? this.name,
      version: this.kubernetesVersion,
      provisioningCluster: `${this.fleetWorkspace}/${this.name}`,
      rancher: this.rancher,
      harvester: this._context.harvester,
    });
    this.chart = chart;
    this._clusterTarget = chart;
    Ordering.of(chart)._add(this._cluster, OrderingType.READY);
  }

  /** The kubeconfig of the cluster through Rancher, a late value. */
  public get kubeconfig(): SecretValue {
    return guestKubeconfig(this, this.name, this._cluster);
  }

  /**
   * Adds an object that the control plane applies when it starts. Added objects follow those of
   * `additionalManifests`, sorted.
   *
   * @example
   * shop.addManifest({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'monitoring' } });
   *
   * @param manifest with apiVersion, kind and metadata
   */
  public addManifest(manifest: any): void {
    requireOpen(this, 'addManifest');
    const { additionalManifests = [] } = this.given;
    failOnErrors(this, [
      ...checkManifests([...additionalManifests, ...this._additions.manifests, manifest]),
    ]);
    this._additions.addManifest(manifest);
  }

  /**
   * Adds files of nodes. Added files follow those of `machineFiles`, sorted.
   *
   * @param file the machines, and the files that they get
   */
  public addMachineFile(file: MachineFile): void {
    requireOpen(this, 'addMachineFile');
    const { machineFiles = [] } = this.given;
    failOnErrors(this, [
      ...FeatureGates.of(GuestGate.MACHINE_SELECTOR_FILES)._check(
        'machineFiles',
        this._context.rancherVersion,
        'remove it, or declare a newer Rancher',
      ),
      ...checkSelectors([...machineFiles, file]),
    ]);
    const written = this.parts.before.length;
    this._additions.addSelectorFiles(machineFilesSpec(this._context, [file], this.parts));
    for (const other of this.parts.before.slice(written)) {
      Ordering.of(this._cluster)._add(other, OrderingType.APPLIED);
    }
  }

  /**
   * Adds configuration of some machines. Added selectors follow those of `machineSelectors`,
   * sorted: Rancher takes the last one that applies to a machine.
   *
   * @param selector the machines, and their configuration
   */
  public addMachineSelector(selector: MachineSelector): void {
    requireOpen(this, 'addMachineSelector');
    const { machineSelectors = [] } = this.given;
    const all = [...machineSelectors, ...this._additions.selectors, selector];
    failOnErrors(this, [...checkSelectors([], all), ...checkSelectedLists(this.parts, all)]);
    this._additions.addSelector(selector);
  }

  /**
   * The values of the cloud provider's chart depend on the machines, and are chosen by the
   * constructor.
   * @internal
   */
  protected _checkFacts(machines: MachineFacts): Problem[] {
    const { cures } = this.parts;
    return !cures || sameValue(cures.of(this._context.machines ?? {}), cures.of(machines))
      ? []
      : [
          {
            path: 'addPool',
            message: 'cannot change which values the chart of the cloud provider needs',
            fix: 'set the pool in pools of the constructor',
          },
        ];
  }

  private writeCluster(
    props: ProvisionedClusterProps,
    machines: Machines,
    parts: ClusterParts,
    fixedId: string | undefined,
  ): ApiObject {
    const context = this._context;
    const pieces: ClusterPieces = {
      registries: registriesSpec(context, props.registries, parts),
      selectorFiles: [
        ...parts.selectorFiles,
        ...machineFilesSpec(context, props.machineFiles ?? [], parts),
      ],
      ...machines.write(context, parts),
    };
    const spec = clusterSpec(props, context, parts, pieces);
    const cluster = this._writeLate(
      {
        apiVersion: API_VERSIONS.PROVISIONING,
        kind: 'Cluster',
        metadata: {
          namespace: this.fleetWorkspace,
          annotations: {
            ...clusterAnnotations(props, context.rancherVersion, fixedId),
            ...pieces.annotations,
          },
        },
        spec,
      },
      { spec: () => (this._additions.isEmpty ? spec : this.specOf(props, pieces)) },
      pieces.props && { props: pieces.props },
    );
    const others = [
      props.etcd?.s3?.credential,
      machines.harvesterImport,
      machines.namespace,
    ].filter((other) => other !== undefined);
    const before: IConstruct[] = [...parts.before, ...others];
    for (const other of new Set(before)) {
      Ordering.of(cluster)._add(other, OrderingType.APPLIED);
    }
    return cluster;
  }

  /** The spec with what the program added. */
  private specOf(props: ProvisionedClusterProps, pieces: ClusterPieces): ClusterFields {
    const { pools, manifests, selectors, selectorFiles } = this._additions;
    return clusterSpec(
      {
        ...props,
        additionalManifests: [...(props.additionalManifests ?? []), ...manifests],
        machineSelectors: [...(props.machineSelectors ?? []), ...selectors],
      },
      this._context,
      this.parts,
      {
        ...pieces,
        pools: pieces.pools && [...pieces.pools, ...pools.flatMap(({ entries }) => entries)],
        selectorFiles: [...pieces.selectorFiles, ...selectorFiles],
      },
    );
  }
}

function contextOf(
  cluster: ManagedCluster & Pick<IGuestCluster, 'fleetWorkspace'>,
  props: ProvisionedClusterProps,
  { harvesterImport, namespace, facts }: Machines,
  {
    rancher,
    kubernetes,
  }: { readonly rancher: RancherVersion; readonly kubernetes: KubernetesVersion },
): ClusterContext {
  const harvester = harvesterImport?._clusterTarget as IHarvesterTarget | undefined;
  return {
    scope: cluster,
    name: cluster.name,
    fleetWorkspace: cluster.fleetWorkspace,
    rancher: cluster.rancher,
    rancherVersion: rancher,
    kubernetesVersion: kubernetes,
    harvester,
    harvesterVersion: harvester && HarvesterVersion.parse(harvester.version),
    harvesterClusterId: harvesterImport?.clusterId,
    vmNamespace: namespace?.name,
    namespace,
    machines: facts,
    dataDirectory: props.dataDirectories?.k8sDistro ?? props.kubernetes._distribution.dataDirectory,
  };
}

/** Collects the parts: first those of the user, then those of the cloud provider. */
function collectParts(props: ProvisionedClusterProps, context: ClusterContext): ClusterParts {
  const { _distribution: distribution } = props.kubernetes;
  const parts = new ClusterParts();
  Object.assign(parts.globalConfig, distribution.globalConfig);
  Object.assign(parts.selectorConfig, distribution.selectorConfig);
  for (const [chart, values] of Object.entries(distribution.chartValues)) {
    parts.addChartValues(chart, values);
  }
  const known = context.harvester !== undefined && context.vmNamespace !== undefined;
  (props.cloudProvider ?? (known ? CloudProvider.harvester() : CloudProvider.none()))._contribute(
    parts,
    context,
  );
  return parts;
}

// some machines replace the list for all
function checkSelectedLists(
  { globalConfig, selectorConfig }: ClusterParts,
  selectors: readonly MachineSelector[],
): Problem[] {
  const forAll = [globalConfig, selectorConfig].flatMap((config) => config[KUBELET_ARG] ?? []);
  return selectors.flatMap(({ config }, index) => [
    ...checkReplacedLists([
      { path: '', config: { [KUBELET_ARG]: forAll } },
      { path: `machineSelectors[${index}].config[${KUBELET_ARG}]`, config },
    ]),
  ]);
}

/** Checks that the Harvester cluster and the namespace of the machines fit the guest cluster. */
export function* checkSite(
  cluster: ManagedCluster,
  { harvesterImport, namespace }: Pick<Machines, 'harvesterImport' | 'namespace'>,
): Iterable<Problem> {
  const target = harvesterImport?._clusterTarget;
  if (harvesterImport && harvesterImport.rancher !== cluster.rancher) {
    yield {
      path: 'harvesterImport',
      value: harvesterImport.node.path,
      message: `must be imported into ${cluster.rancher.targetName}, the Rancher of the cluster: it is imported into ${harvesterImport.rancher.targetName}`,
      fix: 'create the cluster in the chart of the Rancher that the Harvester cluster is imported into',
    };
  }
  if (harvesterImport && target?.targetKind !== TargetKind.HARVESTER) {
    yield {
      path: 'harvesterImport',
      value: harvesterImport.node.path,
      message:
        'must be a target of the program, to which the objects that the cluster needs on Harvester are written',
      fix: 'import a HarvesterChart, or pass it as harvester to HarvesterImport.fromClusterId',
    };
  } else if (target && target.node.root !== cluster.node.root) {
    yield {
      path: 'harvesterImport',
      value: target.targetName,
      message: 'must belong to the same app',
      fix: 'create both charts in one app',
    };
  }
  if (namespace && target && namespace.target !== target) {
    yield {
      path: 'vmNamespace',
      value: namespace.name,
      message: `must be a namespace of ${target.targetName}, where the machines run: it is one of ${namespace.target.targetName}`,
      fix: 'use a namespace of the same Harvester cluster',
    };
  }
}
