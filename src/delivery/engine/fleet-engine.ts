import { DeliveryEngine, EngineProgram, refusalOfEncrypted, repositoryPath } from './engine';
import { Manifest, groupOf } from '../../core/manifest/manifest';
import { FLEET_DEFAULT, FLEET_LOCAL, GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { AssemblyTarget } from '../../core/output/assembly';
import { grouped } from '../../core/text/values';
import { toYaml } from '../../core/yaml/yaml-writer';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/cluster.facts';
import { shortened } from '../stage/stage-names';
import { Stage } from '../stage/stages';

/** Properties of a delivery by Fleet, which is part of Rancher. */
export interface FleetDeliveryProps {
  /** URL of the Git repository that contains the output. */
  readonly repository: string;
  /** Branch of the repository. @default main */
  readonly branch?: string;
  /** The output folder, as a path in the repository. @default dist */
  readonly path?: string;
  /**
   * Name of the Secret with the credentials of the repository, next to each GitRepo.
   * @default - the repository needs none
   */
  readonly clientSecretName?: string;
  /**
   * Prefix of the names of GitRepos and bundles, for several programs in one Rancher.
   * @default - no prefix: the names of targets and stages
   */
  readonly namePrefix?: string;
  /**
   * The Clusters of Fleet, by target, as `<name>` or `<namespace>/<name>` of their Cluster of
   * provisioning.cattle.io; the namespace is `fleet-default` if it is left out. The GitRepo of a
   * target is in the namespace of its Cluster.
   * @default - the Cluster that the program declares for the target, otherwise one with the name of the target; `local` for Rancher
   */
  readonly clusters?: { readonly [target: string]: string };
  /**
   * Namespace of the Helm releases. Their Secrets contain the manifests, so few people should be
   * able to read it.
   * @default cattle-fleet-system
   */
  readonly releaseNamespace?: string;
}

/** Conditions that an import has until its agent is connected, which others need not wait for. */
const NOT_WAITED_FOR = ['Reconciling', 'Pending', 'Waiting'];

/**
 * The longest name of a Helm release.
 * @see helm/helm:pkg/chart/common/util/values.go maxReleaseNameLen; rancher/fleet:internal/names/name.go HelmReleaseName
 */
const MAX_RELEASE = 53;

/** States of a bundle whose objects exist. */
const DELIVERED = ['Ready', 'NotReady', 'Modified'];

/**
 * Delivery by Fleet: a bundle for each stage, and a GitRepo for each target. Never with `force`,
 * which replaces objects.
 */
export class FleetEngine implements DeliveryEngine {
  public readonly folder = 'fleet';
  public readonly refuses: DeliveryEngine['refuses'] = {
    plain: {
      message:
        'contains a secret, which Fleet keeps in plain text in Bundles, Helm releases, and statuses',
      fix: 'use SecretDelivery.sealedSecrets or SecretDelivery.externalSecrets, or accept it with secrets: SecretDelivery.plainText()',
      fixOfOthers:
        'read the secret with SecretValue.fromEnv or SecretValue.fromFile, and set SecretDelivery.sealedSecrets or SecretDelivery.externalSecrets, with which apply writes this object; ' +
        'where the object can refer to a Secret, put the secret there, such as user data of a virtual machine into a CloudInitSecret; or accept it with secrets: SecretDelivery.plainText()',
    },
    encrypted: refusalOfEncrypted('Fleet'),
  };
  // a bundle whose folder has no objects yet does not exist
  public readonly waitsForLate = true;
  public readonly keeper = 'helm';
  // Helm replaces whole lists, since Fleet takes ownership without server-side apply; comparePatches
  // hide a difference, and do not change what is written
  // @see rancher/fleet:internal/helmdeployer/install.go configureInstallAction, configureUpgradeAction
  public readonly rewrites = 'writes the number of the file at each upgrade of the bundle';

  constructor(private readonly props: FleetDeliveryProps) {}

  /** A fleet.yaml for each stage, and the GitRepos. */
  public readonly files = (program: EngineProgram): ReadonlyMap<string, string> => {
    const { stages } = program;
    const { targets } = program.assembly;
    const delivered = targets.filter(({ name }) => stages.some(({ target }) => target === name));
    const ranchers = targets.filter(({ kind }) => kind === 'rancher');
    const files = grouped(delivered, (target) =>
      // the Fleet of another Rancher would find clusters of the same names
      ranchers.length > 1 ? (rancherOf(target) ?? target.name) : 'gitrepo',
    );
    return new Map([
      ...stages.map((stage) => [`${stage.folder}/fleet.yaml`, toYaml(this.bundle(stage))] as const),
      ...[...files].map(
        ([name, group]) =>
          [
            `${this.folder}/${name}.yaml`,
            group.map((target) => toYaml(this.gitRepo(target, program))).join('---\n'),
          ] as const,
      ),
    ]);
  };

  private bundle(stage: Stage): object {
    // bundles of other clusters cannot be waited for
    const after = stage.after.filter(({ target }) => target === stage.target);
    return {
      name: this.nameOf(stage.name),
      defaultNamespace: this.props.releaseNamespace ?? 'cattle-fleet-system',
      helm: { takeOwnership: true },
      ignore: { conditions: NOT_WAITED_FOR.map((type) => ({ type })) },
      ...(after.length > 0
        ? {
            dependsOn: after.map(({ name }) => ({
              name: this.nameOf(name),
              acceptedStates: DELIVERED,
            })),
          }
        : {}),
    };
  }

  private gitRepo(target: AssemblyTarget, program: EngineProgram): Manifest {
    const { props } = this;
    const given = props.clusters?.[target.name];
    const cluster = given === undefined ? clusterOf(target, program) : clusterNamed(given, target);
    return {
      apiVersion: 'fleet.cattle.io/v1alpha1',
      kind: 'GitRepo',
      metadata: { name: this.nameOf(target.name), namespace: cluster.namespace },
      spec: {
        repo: props.repository,
        branch: props.branch ?? 'main',
        ...(props.clientSecretName ? { clientSecretName: props.clientSecretName } : {}),
        // each folder below with a fleet.yaml is a bundle, also one that comes later @see
        // rancher/fleet:internal/cmd/cli/apply/apply.go
        paths: [repositoryPath(props.path, target.name)],
        targets: [{ clusterName: cluster.name }],
      },
    };
  }

  private nameOf(name: string): string {
    return shortened(`${this.props.namePrefix ?? ''}${name}`, MAX_RELEASE);
  }
}

/**
 * A Cluster of Fleet: in the namespace of its Cluster of provisioning.cattle.io, where its GitRepo
 * must be.
 */
interface FleetCluster {
  readonly namespace: string;
  readonly name: string;
}

function clusterNamed(text: string, { kind }: Pick<AssemblyTarget, 'kind'>): FleetCluster {
  const [name, namespace] = text.split('/').reverse();
  return { name, namespace: namespace ?? (kind === 'rancher' ? FLEET_LOCAL : FLEET_DEFAULT) };
}

/** The Rancher whose Fleet delivers to a target; undefined for one that no Rancher manages. */
function rancherOf({ name, kind, properties }: AssemblyTarget): string | undefined {
  if (kind === 'rancher') {
    return name;
  }
  return properties.rancher ?? properties.managedAs?.split('/')[0];
}

function clusterOf(target: AssemblyTarget, { assembly, manifests }: EngineProgram): FleetCluster {
  const { name, kind, properties } = target;
  if (kind === 'rancher') {
    return clusterNamed(LOCAL_CLUSTER, target);
  }
  if (properties.provisioningCluster) {
    return clusterNamed(properties.provisioningCluster, target);
  }
  const [rancher, managementId] = (properties.managedAs ?? '').split('/');
  const cluster = assembly.objects.find(
    (object) =>
      object.kind === 'Cluster' &&
      groupOf(object.apiVersion) === GROUPS.PROVISIONING &&
      object.target === rancher &&
      manifests.get(object.id)?.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME] ===
        managementId,
  );
  return { name: cluster?.name ?? name, namespace: cluster?.namespace ?? FLEET_DEFAULT };
}
