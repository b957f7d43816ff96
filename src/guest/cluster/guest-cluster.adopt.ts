import { isForAll, provisionedProps } from '../provisioned-props.adopt';
import { cloudConfigsOf } from './cluster-reader.facts';
import { RESTRICTED_TEMPLATE } from './cluster.kind';
import {
  Draft,
  DraftProps,
  FoundObject,
  MethodCall,
  Property,
  call,
  Inverse,
  Surroundings,
  idOfName,
  nameOf,
  referOn,
  unless,
} from '../../core/draft/draft';
import {
  FieldPath,
  annotationsOf,
  groupOf,
  isRecord,
  kindKey,
  valueAt,
  Fields,
} from '../../core/manifest/manifest';
import { FLEET_DEFAULT, GROUPS } from '../../core/manifest/names';
import {
  ANNOTATION_KEEPS_VOLUMES,
  isProvisioned,
  managementClusterIdOf,
} from '../../rancher/cluster/cluster.facts';
import { defaultCredential } from '../../rancher/credential/secret.adopt';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import {
  ReadProvider,
  manifestsIn,
  cloudProviderCall,
} from '../cloud-provider/cloud-provider.adopt';
import {
  HarvesterOfGuest,
  fieldsOf,
  guestTargetName,
  harvesterOfCluster,
  itemsOf,
} from '../guest-target.adopt';
import { KubernetesFields, kubernetesOf, lacksDefaults } from '../kubernetes/kubernetes.adopt';
import { HARVESTER_CONFIG_KIND, MACHINE_CONFIG_API } from '../machine-config/machine-config.kind';
import { MachineFiles, machineFilesOf } from '../machine-file/machine-file.adopt';
import { credentialOf, nextLevel, poolProps } from '../machine-pool/machine-pool.adopt';
import { providesCluster } from '../provisioning-cluster.adopt';

/**
 * How exactly the texts of machine configs are given, by the names of the configs and by their
 * fields.
 */
type Levels = ReadonlyMap<string, ReadonlyMap<string, number>>;

const CLUSTER = `${GROUPS.PROVISIONING}/Cluster`;

/** Rancher moves the text once, and not again after a later apply. */
const LITERAL_CLOUD_CONFIG =
  'cloud-provider-config is a kubeconfig in plain text: put it into a Secret for CloudConfigSecret.fromName, ' +
  'and set CloudProvider.harvester({ existingCloudConfig })';
const HARVESTER_CONFIG = `${MACHINE_CONFIG_API.split('/')[0]}/${HARVESTER_CONFIG_KIND}`;

/**
 * From a provisioning Cluster, with its machine configs and the account of its cloud provider, to
 * the construct.
 */
export const GUEST_CLUSTER_INVERSE: Inverse = {
  kinds: [CLUSTER],
  // others write defaults into them, and users their own values
  own: [
    'spec.localClusterAuthEndpoint',
    'spec.rkeConfig.chartValues',
    'spec.rkeConfig.dataDirectories',
    'spec.rkeConfig.machineGlobalConfig',
    'spec.rkeConfig.machinePoolDefaults',
    'spec.rkeConfig.upgradeStrategy',
  ],
  // a changed value there changes the plans of all nodes
  exact: ['spec.rkeConfig.machineGlobalConfig.docker', 'spec.rkeConfig.machineSelectorConfig'],
  // @see rancher/webhook:docs.md "Dynamic Schema Drop"
  overwritten: ['spec.rkeConfig.machinePools[*].dynamicSchemaSpec'],
  // @see rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/controller.go
  defaults: { 'spec.rkeConfig.machinePools[*].machineConfigRef.apiVersion': MACHINE_CONFIG_API },
  drafts: (object, around) =>
    isProvisioned(object.manifest)
      ? OWNED.flatMap((owned) => new Reading(object, around, owned).draft())
      : [],
  existing: (name, around) => {
    const found = around.find(name);
    if (!found || !isProvisioned(found.manifest)) {
      return undefined;
    }
    const { spec } = found.manifest;
    const { namespace } = found.manifest.metadata;
    const props = {
      name: name.name,
      fleetWorkspace: unless(namespace, FLEET_DEFAULT),
      clusterId: managementClusterIdOf(found.manifest),
      kubernetesVersion: String(fieldsOf(spec).kubernetesVersion),
    };
    return { type: 'GuestCluster', method: 'fromName', props };
  },
};

/** The namespace of machines whose config names none. @see harvester/docker-machine-driver-harvester:harvester/flags.go vm-namespace */
const DEFAULT_VM_NAMESPACE = 'default';

/** What a cluster declares besides its own objects. */
interface Owned {
  /**
   * Whether the program declares the account of its cloud provider, rather than to refer to the
   * cloud config.
   */
  readonly account: boolean;
  /**
   * Whether the program declares the credential that its clusters share, rather than to refer to
   * it.
   */
  readonly credential: boolean;
}

/** The most that it may declare comes first: that is what a program leaves out. */
const OWNED: readonly Owned[] = [true, false].flatMap((credential) =>
  [true, false].map((account) => ({ account, credential })),
);

/** What is known of the machines of a cluster. */
interface Machines {
  readonly type: 'GuestCluster' | 'CustomCluster';
  readonly harvester?: HarvesterOfGuest;
  readonly vmNamespace?: string;
  /** The machine configs, by their names. */
  readonly configs: ReadonlyMap<string, FoundObject>;
}

class Reading {
  private readonly spec: Fields;
  private readonly config: Fields;
  private readonly name: string;
  private readonly fleetWorkspace: string;
  private readonly rancher: string;

  constructor(
    private readonly object: FoundObject,
    private readonly around: Surroundings,
    private readonly owned: Owned,
  ) {
    const { target } = object;
    const { spec } = object.manifest;
    const { name, namespace = FLEET_DEFAULT } = object.manifest.metadata;
    this.spec = fieldsOf(spec);
    this.config = fieldsOf(this.spec.rkeConfig);
    this.name = name;
    this.fleetWorkspace = namespace;
    this.rancher = target;
  }

  public draft(): Draft[] {
    const machines = this.machines();
    const manifests = manifestsIn(this.config.additionalManifest);
    if (!machines || !manifests) {
      return [];
    }
    const read = this.provider(machines, manifests);
    const credential = this.owned.credential ? this.sharedCredential(machines) : undefined;
    // another candidate is the same then
    if (
      (this.owned.account && read.declares.length === 0) ||
      (this.owned.credential && !credential)
    ) {
      return [];
    }
    const files = machineFilesOf(read.selectorFiles, this.object, this.around);
    const { chartOf, targetName } = this.chart();
    const declares = [
      this.object,
      ...machines.configs.values(),
      ...read.declares,
      ...files.declares,
      ...(credential ?? []),
    ];
    const literal = cloudConfigsOf(this.object.manifest).some(({ name }) => name === undefined);
    const draft = (levels: Levels): Draft => ({
      type: machines.type,
      id: this.name,
      props: { ...this.props(machines, read, files, levels), targetName },
      declares,
      provides: providesCluster(this.object),
      chartOf,
      comments: literal ? [LITERAL_CLOUD_CONFIG] : undefined,
      // machine configs are below the construct of their cluster
      patchable: new Map(
        [...machines.configs].map(([name, config]) => [
          idOfName(nameOf(config)),
          (self) =>
            call(
              'ApiObject',
              'of',
              new MethodCall(new Property(self, 'node'), 'findChild', [`MachineConfig-${name}`]),
            ),
        ]),
      ),
      amend: (differing) => {
        const next = moreExact(levels, machines, differing);
        return next && draft(next);
      },
    });
    return [draft(new Map())];
  }

  private pools(): readonly Fields[] | undefined {
    return itemsOf(this.config.machinePools)?.filter(isRecord);
  }

  /** Undefined for machines of other infrastructure, and of a Harvester that was not read. */
  private machines(): Machines | undefined {
    const pools = this.pools();
    if (!pools) {
      return this.customMachines();
    }
    const configs = new Map<string, FoundObject>();
    for (const { machineConfigRef } of pools) {
      const { kind, name } = fieldsOf(machineConfigRef);
      const found =
        kind !== HARVESTER_CONFIG_KIND || typeof name !== 'string'
          ? undefined
          : this.around
              .objects(this.rancher, HARVESTER_CONFIG)
              .find(
                ({ manifest }) =>
                  manifest.metadata.name === name &&
                  manifest.metadata.namespace === this.fleetWorkspace,
              );
      if (!found) {
        return undefined;
      }
      configs.set(name as string, found);
    }
    const [firstConfig] = configs.values();
    const { vmNamespace = DEFAULT_VM_NAMESPACE } = firstConfig.manifest;
    const harvester = harvesterOfCluster(this.object, this.around);
    if (!harvester?.harvesterImport || typeof vmNamespace !== 'string') {
      return undefined;
    }
    return { type: 'GuestCluster', harvester, vmNamespace, configs };
  }

  private customMachines(): Machines {
    const others: Machines = { type: 'CustomCluster', configs: new Map() };
    if (!this.owned.account) {
      return others;
    }
    const harvester = harvesterOfCluster(this.object, this.around);
    const account =
      harvester &&
      this.around
        .objects(harvester.target, '/ServiceAccount')
        .find(({ manifest }) => manifest.metadata.name === this.name);
    const vmNamespace = account?.manifest.metadata.namespace;
    return harvester?.harvesterImport && vmNamespace !== undefined
      ? { ...others, harvester, vmNamespace }
      : others;
  }

  /**
   * The objects of the shared credential that no other cluster declares; undefined where the
   * cluster uses another one.
   */
  private sharedCredential({ type, harvester, vmNamespace }: Machines): FoundObject[] | undefined {
    if (type !== 'GuestCluster' || !harvester || vmNamespace === undefined) {
      return undefined;
    }
    if (this.spec.cloudCredentialSecretName !== `${GLOBAL_DATA}:cc-${harvester.target}`) {
      return undefined;
    }
    const objects = defaultCredential(this.rancher, harvester.target, vmNamespace, this.around);
    return objects?.filter((each) =>
      this.around
        .objects(each.target, kindKey(groupOf(each.manifest.apiVersion), each.manifest.kind))
        .includes(each),
    );
  }

  private provider(
    { harvester, vmNamespace }: Machines,
    manifests: readonly Fields[],
  ): ReadProvider {
    const [first] = itemsOf(this.config.machineSelectorConfig) ?? [];
    const kubernetes: KubernetesFields = {
      version: this.spec.kubernetesVersion,
      globalConfig: fieldsOf(this.config.machineGlobalConfig),
      selectorConfig: isRecord(first) && isForAll(first, 0) ? fieldsOf(first.config) : {},
      chartValues: fieldsOf(this.config.chartValues),
      isPlain: lacksDefaults(this.spec.kubernetesVersion, this.config),
    };
    const selectorFiles = (itemsOf(this.config.machineSelectorFiles) ?? []).filter(isRecord);
    return cloudProviderCall(kubernetes, manifests, selectorFiles, {
      rancher: this.rancher,
      harvester: harvester?.target,
      cluster: this.name,
      fleetWorkspace: this.fleetWorkspace,
      vmNamespace,
      around: this.around,
      ownsAccount: this.owned.account,
    });
  }

  private props(
    machines: Machines,
    read: ReadProvider,
    files: MachineFiles,
    levels: Levels,
  ): DraftProps {
    const { harvester, vmNamespace, type } = machines;
    const hasHarvester = harvester !== undefined && vmNamespace !== undefined;
    const isWithout = read.provider === undefined || !read.isNone;
    return {
      harvesterImport: harvester?.harvesterImport,
      vmNamespace: hasHarvester ? referOn(harvester.target, '/Namespace', vmNamespace) : undefined,
      kubernetes: kubernetesOf(read.kubernetes),
      ...provisionedProps(this.object, this.around),
      podSecurityTemplate: this.template(read.kubernetes),
      machineFiles: files.prop,
      additionalManifests: itemsOf(read.manifests) as DraftProps[] | undefined,
      // without a Harvester there is none by default
      cloudProvider: isWithout || hasHarvester ? read.provider : undefined,
      credential: this.owned.credential
        ? undefined
        : credentialOf(this.rancher, this.spec.cloudCredentialSecretName, this.fleetWorkspace),
      ...(type === 'GuestCluster' ? this.poolsProps(machines, read, levels) : {}),
    };
  }

  private template({ globalConfig }: KubernetesFields): string | undefined {
    const { profile } = globalConfig;
    const template = this.spec.defaultPodSecurityAdmissionConfigurationTemplateName;
    if (typeof template !== 'string' || template === '') {
      return profile === undefined ? undefined : '';
    }
    return profile !== undefined && template === RESTRICTED_TEMPLATE ? undefined : template;
  }

  private poolsProps(
    { harvester, configs }: Machines,
    { files }: ReadProvider,
    levels: Levels,
  ): DraftProps {
    const pools = this.pools()!.map((entry) => {
      const name = String(fieldsOf(entry.machineConfigRef).name);
      const config = configs.get(name)!;
      const { labels, annotations } = this.around.cleaned(config).metadata;
      const props = poolProps(entry, config.manifest, {
        rancher: this.rancher,
        harvester: harvester!.target,
        cluster: this.name,
        fleetWorkspace: this.fleetWorkspace,
        files,
        levels: levels.get(name) ?? new Map(),
      });
      return {
        ...props,
        machineConfigLabels: labels as DraftProps | undefined,
        machineConfigAnnotations: annotations as DraftProps | undefined,
      };
    });
    const limit = valueAt(this.config.machinePoolDefaults, 'hostnameLengthLimit');
    const keepVolumes =
      annotationsOf(this.object.manifest)[ANNOTATION_KEEPS_VOLUMES] === 'true' ? true : undefined;
    return {
      pools,
      hostnameLengthLimit: typeof limit === 'number' && limit > 0 ? limit : undefined,
      keepVolumes,
    };
  }

  private chart(): { readonly chartOf?: string; readonly targetName?: string } {
    const chartOf = guestTargetName(this.object.manifest, this.around);
    return { chartOf, targetName: chartOf === undefined ? undefined : unless(chartOf, this.name) };
  }
}

/**
 * The levels for which the texts of machine configs that differ are given more exactly; undefined
 * where they cannot be.
 */
function moreExact(
  levels: Levels,
  { configs }: Machines,
  differing: ReadonlyMap<string, readonly FieldPath[]>,
): Levels | undefined {
  const next = new Map([...levels].map(([name, each]) => [name, new Map(each)]));
  let isMore = false;
  for (const [name, config] of configs) {
    const own = next.get(name) ?? new Map<string, number>();
    for (const [field] of differing.get(idOfName(nameOf(config))) ?? []) {
      const level = nextLevel(String(field), own.get(String(field)));
      if (level === undefined) {
        continue;
      }
      next.set(name, own.set(String(field), level));
      isMore = true;
    }
  }
  return isMore ? next : undefined;
}

/**
 * From a machine config that only its Cluster refers to: a program declares it with the cluster.
 */
export const HARVESTER_CONFIG_INVERSE: Inverse = {
  kinds: [HARVESTER_CONFIG],
  undeclared: () => 'no machine pool of a GuestCluster in the program uses it',
  // Rancher replaces all machines of a pool when they change
  own: [
    'userData',
    'networkData',
    'vmAffinity',
    'vgpuInfo',
    'sshUser',
    'sshPassword',
    'cpuModel',
    'keyPairName',
    // of a single disk and network
    'imageName',
    'diskSize',
    'diskBus',
    'networkName',
    'networkType',
    'networkModel',
  ],
  // @see rancher/rancher:pkg/controllers/capr/dynamicschema; verified on Rancher 2.13.8
  defaults: {
    sshUser: 'root',
    diskSize: '0',
    sshPort: '22',
    reservedMemorySize: '-1',
    vmNamespace: DEFAULT_VM_NAMESPACE,
  },
};
