import { Construct } from 'constructs';
import { ClusterReference, ExistingManagedCluster } from './existing-cluster';
import { RegistrationToken, TokenSource } from './registration-token';
import { DisplayNameOptions } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { own } from '../../core/construct/ownership';
import { IHarvesterTarget, ITarget, TargetKind, chartOf } from '../../core/construct/target';
import { API_VERSIONS, FLEET_DEFAULT } from '../../core/manifest/names';
import { Problem, collectProblems, failOnErrors, requireLiteral } from '../../core/problem/problem';
import { markManagedAs } from '../../core/program/target-info';
import { AdditionalCa } from '../../harvester/settings/additional-ca';
import { HarvesterSetting } from '../../harvester/settings/harvester-setting';
import { LABEL_PROVIDER, PROVIDER_HARVESTER } from '../cluster/cluster.facts';
import {
  agentSpec,
  checkAgents,
  agentEnv,
  checkClusterId,
  checkOwnAnnotations,
  checkOwnKeys,
  clusterAnnotations,
  IManagedCluster,
  lateClusterId,
  ManagedCluster,
  AdoptedManagedCluster,
  ManagedClusterProps,
  ClusterId,
} from '../cluster/managed-cluster';
import { RancherVersion } from '../version/rancher-version';

/** A Harvester cluster that is imported into Rancher, by this program or otherwise. */
export interface IHarvesterImport extends IManagedCluster {
  /** The ID of the imported Harvester in Rancher's API: its management cluster ID. */
  readonly harvesterImportId: string;
  /** The Harvester, where the program has its chart. @internal */
  readonly _harvester?: IHarvesterTarget;
}

/** Options of a reference to an imported Harvester. */
export interface ExistingHarvesterImportOptions {
  /**
   * The management cluster ID: in the URL of Rancher's UI, or `status.clusterName` of the
   * provisioning Cluster. `c-` with five characters if imported in the UI.
   */
  readonly clusterId: string;
  /**
   * The chart of the Harvester: guest clusters and tenants need it for their objects on Harvester.
   * @default - the program has no target for it
   */
  readonly harvester?: IHarvesterTarget;
}

/** Options of a reference to an imported Harvester by the name that Rancher's UI shows. */
export interface DisplayedHarvesterImportOptions extends DisplayNameOptions {
  /**
   * The chart of the Harvester: guest clusters and tenants need it for their objects on Harvester.
   * @default - the program has no target for it
   */
  readonly harvester?: IHarvesterTarget;
}

/** Properties of an import. */
export interface HarvesterImportProps extends ManagedClusterProps {
  /**
   * Values that keep an existing cluster unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new cluster needs none.
   * @default - the program creates the cluster
   */
  readonly adopted?: AdoptedManagedCluster;
  /** The Harvester to import. */
  readonly harvester: IHarvesterTarget;
  /**
   * The name of the cluster in Rancher: 2 to 63 characters of a-z, 0-9 and hyphens; not `local`,
   * and not `c-` with five characters.
   * @default - the target name of the Harvester chart, so that a cluster has one name in Rancher, in the output and in commands
   */
  readonly name?: string;
  /**
   * The Fleet workspace of the cluster: the namespace of its provisioning Cluster. Immutable.
   * @default 'fleet-default'
   */
  readonly fleetWorkspace?: string;
  /**
   * The management cluster ID. Immutable.
   * @default ClusterId.derived(), and ClusterId.late() below Rancher 2.8.0
   */
  readonly clusterId?: ClusterId;
  /**
   * Where the registration token comes from. With TokenSource.value, one commit is enough.
   * @default TokenSource.rancherDefault()
   */
  readonly registrationToken?: TokenSource;
  /**
   * Whether to write the Harvester setting `cluster-registration-url`, which makes Harvester
   * register.
   * @default true
   */
  readonly register?: boolean;
  /**
   * Whether Harvester skips verification of Rancher's certificate when it downloads the import
   * manifest, which it applies as administrator.
   * @default false
   */
  readonly insecureSkipTlsVerify?: boolean;
  /**
   * Labels of the provisioning Cluster and its Fleet cluster. Immutable on Rancher 2.11.0 and
   * later.
   * @default - only `provider.cattle.io: harvester`
   */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the provisioning Cluster. @default - only those that this construct writes */
  readonly annotations?: { readonly [key: string]: string };
}

/**
 * Imports a Harvester cluster into Rancher.
 *
 * On Rancher it writes a provisioning Cluster and, with a token of your own, the Namespace of the
 * cluster and the token's Secret. On Harvester it writes the Setting `cluster-registration-url`,
 * and `additional-ca` if the Rancher chart names private certificate authorities. With a token of
 * your own, everything is known at synthesis.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/virtualization-management
 * @example
 * const dc2 = new HarvesterChart(app, 'dc2', { version: '1.7.2', vip: '10.20.0.10' });
 * new HarvesterImport(rancher, 'import-dc2', { harvester: dc2, registrationToken: TokenSource.secret() });
 */
export class HarvesterImport extends ManagedCluster implements IHarvesterImport {
  /** A reference to a Harvester that is imported already. */
  public static fromClusterId(
    scope: Construct,
    id: string,
    options: ExistingHarvesterImportOptions,
  ): IHarvesterImport {
    return new ImportedHarvester(scope, id, { clusterId: options.clusterId }, options.harvester);
  }

  /**
   * A reference to a Harvester that is imported already, by the name that Rancher's UI shows.
   *
   * The management cluster ID is a late value: objects that contain it wait for it, such as
   * projects, members, and the namespaces of tenants. Use `fromClusterId` if everything must be
   * known at synthesis. `apply` needs permission to list all management Clusters.
   */
  public static fromDisplayName(
    scope: Construct,
    id: string,
    options: DisplayedHarvesterImportOptions,
  ): IHarvesterImport {
    return new ImportedHarvester(
      scope,
      id,
      { displayName: options.displayName },
      options.harvester,
    );
  }

  public readonly clusterId: string;
  /** The Harvester. */
  public readonly harvester: IHarvesterTarget;
  /** The registration token of the Harvester. */
  public readonly registrationToken: RegistrationToken;
  private readonly fleetWorkspace: string;

  constructor(scope: Construct, id: string, props: HarvesterImportProps) {
    super(scope, id, { ...props, name: props.name ?? props.harvester.targetName });
    const {
      harvester,
      fleetWorkspace,
      clusterId,
      register = true,
      insecureSkipTlsVerify = false,
      ...cluster
    } = props;
    this.harvester = harvester;
    this._exists = clusterId?._isWritten === false;
    this.fleetWorkspace = fleetWorkspace ?? FLEET_DEFAULT;
    requireLiteral(this, 'fleetWorkspace', this.fleetWorkspace);
    const version = RancherVersion.parse(this.rancher.version);
    const fixedId = (clusterId ?? ClusterId._defaultFor(version))._of(
      this,
      this.fleetWorkspace,
      this.name,
    );
    collectProblems(this, [
      ...this.checkHarvester(harvester, register),
      ...checkClusterId(fixedId, this.name, version, clusterId),
      ...checkAgents(cluster, this.rancher, version),
      ...checkOwnKeys('labels', cluster.labels, {
        [LABEL_PROVIDER]: 'remove it: it marks the import as a Harvester',
      }),
      ...checkOwnAnnotations(cluster.annotations),
    ]);
    failOnErrors(this, props.registrationToken?._check(this, version));

    this.writeCluster({ ...cluster, clusterId }, version, fixedId);
    this.clusterId = fixedId ?? lateClusterId(this, this.fleetWorkspace);
    markManagedAs(harvester, this.rancher, this.clusterId);
    const token = new RegistrationToken(this, 'Token', {
      cluster: this,
      source: props.registrationToken,
    });
    this.registrationToken = token;
    if (register) {
      this.registerHarvester(chartOf(harvester), token, insecureSkipTlsVerify);
    }
  }

  public get harvesterImportId(): string {
    return this.clusterId;
  }

  /** @internal */
  public get _harvester(): IHarvesterTarget {
    return this.harvester;
  }

  /** @internal */
  public get _clusterTarget(): ITarget {
    return this.harvester;
  }

  private checkHarvester(
    { targetKind, targetName, node }: IHarvesterTarget,
    register: boolean,
  ): Problem[] {
    if (targetKind !== TargetKind.HARVESTER) {
      return [
        {
          path: 'harvester',
          value: targetName,
          message: `must be a Harvester target: it is a ${targetKind} target`,
          fix: 'set it to a HarvesterChart',
        },
      ];
    }
    if (node.root !== this.node.root) {
      return [
        {
          path: 'harvester',
          value: targetName,
          message: 'must belong to the same app, which writes its Setting',
          fix: 'create both charts in one app',
        },
      ];
    }
    const other = register ? node.tryFindChild(REGISTRATION_ID) : undefined;
    const registered = other instanceof HarvesterSetting;
    if (!other) {
      return [];
    }
    return [
      {
        path: 'harvester',
        value: targetName,
        message: registered
          ? 'cannot be imported twice: a Harvester registers with one Rancher'
          : `cannot have another child "${REGISTRATION_ID}"`,
        fix: registered ? 'set register: false on one of the imports' : 'rename that child',
      },
    ];
  }

  private writeCluster(
    props: Omit<HarvesterImportProps, 'harvester'>,
    version: RancherVersion,
    fixedId: string | undefined,
  ): void {
    this._write(
      {
        apiVersion: API_VERSIONS.PROVISIONING,
        kind: 'Cluster',
        metadata: {
          namespace: this.fleetWorkspace,
          labels: { [LABEL_PROVIDER]: PROVIDER_HARVESTER },
          annotations: clusterAnnotations(props, version, fixedId),
        },
        spec: {
          ...agentSpec(props),
          agentEnvVars: agentEnv(props.agentEnvVars),
          enableNetworkPolicy: props.enableNetworkPolicy,
        },
      },
      { deletion: 'import' },
    );
  }

  private registerHarvester(
    scope: Construct,
    token: RegistrationToken,
    insecureSkipTlsVerify: boolean,
  ): void {
    const setting = own(
      this,
      HarvesterSetting.clusterRegistrationUrl(scope, REGISTRATION_ID, {
        url: token.registrationUrl,
        insecureSkipTlsVerify,
      }),
    );
    // destroy resets the Setting before it deletes the Cluster
    Ordering.of(setting)._add(this.apiObject, OrderingType.APPLIED);
    if (token.isKnown) {
      Ordering.of(setting)._add(token, OrderingType.APPLIED);
    }
    if (this.rancher.caCertificates) {
      const ca = AdditionalCa.of(scope);
      ca.add(this.rancher.caCertificates);
      Ordering.of(setting)._add(ca, OrderingType.READY);
    }
  }
}

/** The ID of the Setting with the registration URL, below the chart of the Harvester. */
const REGISTRATION_ID = 'ClusterRegistrationUrl';

/** A Harvester that this program does not import. */
class ImportedHarvester extends ExistingManagedCluster implements IHarvesterImport {
  /** @internal */
  public readonly _harvester?: IHarvesterTarget;

  constructor(
    scope: Construct,
    id: string,
    reference: ClusterReference,
    harvester: IHarvesterTarget | undefined,
  ) {
    super(scope, id, { ...reference, clusterTarget: harvester });
    this._harvester = harvester;
    if (harvester) {
      markManagedAs(harvester, this.rancher, this.clusterId);
    }
  }

  public get harvesterImportId(): string {
    return this.clusterId;
  }
}
