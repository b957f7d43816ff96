import { randomBytes } from 'node:crypto';
import { Refusal, Webhook } from './admission';
import { settingsOf } from './harvester-settings';
import { Live } from './live';
import { Client } from '../client';

const HARVESTER = 'harvesterhci.io/v1beta1';
const NETWORK = 'network.harvesterhci.io/v1beta1';
const POOLS = 'loadbalancer.harvesterhci.io/v1beta1';
const ATTACHMENTS = 'k8s.cni.cncf.io/v1';

const MUTATOR = 'mutator.harvesterhci.io';
const VALIDATOR = 'validator.harvesterhci.io';
const NETWORK_MUTATOR = 'mutator.harvester-system.harvester-network-webhook';
const NETWORK_VALIDATOR = 'validator.harvester-system.harvester-network-webhook';
const POOL_MUTATOR = 'mutator.harvester-system.harvester-load-balancer-webhook';
const POOL_VALIDATOR = 'validator.harvester-system.harvester-load-balancer-webhook';

const CLUSTER_NETWORK_LABEL = 'network.harvesterhci.io/clusternetwork';
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const IMAGE_CLASS = 'harvesterhci.io/storageClassName';
const IMAGE_DISPLAY_NAME = 'harvesterhci.io/imageDisplayName';
const DEFAULT_MTU = 1500;

/**
 * The three webhooks of a Harvester: its own, that of the network controller, and that of the
 * load balancer.
 */
export function harvesterWebhooks(client: Client, version: string): Webhook[] {
  const lookup = new Lookup(client, version);
  return [
    {
      name: MUTATOR,
      apiVersion: HARVESTER,
      resource: 'virtualmachineimages',
      operations: ['CREATE'],
      mutate: async (image) => lookup.fillImage(image),
    },
    {
      name: VALIDATOR,
      apiVersion: HARVESTER,
      resource: 'virtualmachineimages',
      operations: ['CREATE'],
      validate: async ({ object }) => lookup.judgeImage(object),
    },
    {
      name: VALIDATOR,
      apiVersion: HARVESTER,
      resource: 'settings',
      operations: ['UPDATE'],
      validate: async ({ object }) => lookup.judgeSetting(object),
    },
    {
      name: VALIDATOR,
      apiVersion: HARVESTER,
      resource: 'schedulevmbackups',
      operations: ['CREATE'],
      validate: async () => lookup.judgeBackup(),
    },
    {
      name: MUTATOR,
      apiVersion: 'kubevirt.io/v1',
      resource: 'virtualmachines',
      operations: ['CREATE', 'UPDATE'],
      mutate: async (machine) => lookup.fillMachine(machine),
    },
    {
      name: NETWORK_MUTATOR,
      apiVersion: NETWORK,
      resource: 'vlanconfigs',
      operations: ['CREATE', 'UPDATE'],
      mutate: async (config) => lookup.fillVlanConfig(config),
    },
    {
      name: NETWORK_VALIDATOR,
      apiVersion: NETWORK,
      resource: 'clusternetworks',
      operations: ['UPDATE'],
      validate: async ({ object }) => lookup.judgeClusterNetwork(object),
    },
    {
      name: NETWORK_MUTATOR,
      apiVersion: ATTACHMENTS,
      resource: 'network-attachment-definitions',
      operations: ['UPDATE'],
      // at the first update, not at the creation
      mutate: ({ metadata }) => {
        (metadata as { labels?: object }).labels = {
          'network.harvesterhci.io/ready': 'false',
          ...metadata.labels,
        };
      },
    },
    {
      name: NETWORK_VALIDATOR,
      apiVersion: ATTACHMENTS,
      resource: 'network-attachment-definitions',
      operations: ['CREATE'],
      validate: async ({ object }) => lookup.judgeAttachment(object),
    },
    {
      name: POOL_MUTATOR,
      apiVersion: POOLS,
      resource: 'ippools',
      operations: ['CREATE', 'UPDATE'],
      mutate: async (pool) => lookup.fillPool(pool),
    },
    {
      name: POOL_VALIDATOR,
      apiVersion: POOLS,
      resource: 'ippools',
      operations: ['CREATE'],
      validate: async ({ object }) => lookup.judgePool(object),
    },
    {
      name: POOL_VALIDATOR,
      apiVersion: POOLS,
      resource: 'ippools',
      operations: ['DELETE'],
      // test/recordings: seen, pools; a plain error, as that of a ClusterNetwork, is answered by
      // 500
      validate: ({ oldObject }) =>
        Object.keys(oldObject.status?.allocated ?? {}).length > 0
          ? internal("can't delete pool before releasing all the allocated IP")
          : undefined,
    },
    {
      name: VALIDATOR,
      apiVersion: 'storage.k8s.io/v1',
      resource: 'storageclasses',
      operations: ['CREATE', 'UPDATE'],
      validate: async ({ object }) => lookup.judgeStorageClass(object),
    },
  ];
}

/** What the webhooks look up to fill and to judge. */
class Lookup {
  public constructor(
    private readonly client: Client,
    private readonly version: string,
  ) {}

  /** The backend's fields come from the StorageClass. */
  public async fillImage(image: Live): Promise<void> {
    const name = await this.classOf(image);
    const found = name && (await this.read('storage.k8s.io/v1', 'StorageClass', name));
    image.spec.backend ??= 'backingimage';
    image.spec.retry ??= 3;
    if (!found) {
      return;
    }
    image.spec.storageClassParameters ??= found.parameters;
    image.spec.targetStorageClassName ??= name;
    // test/recordings: seen, images
    (image.metadata as { annotations?: object }).annotations = {
      [IMAGE_CLASS]: name,
      ...image.metadata.annotations,
    };
    if (Number(this.version.split('.')[1]) >= 8) {
      (image.metadata as { labels?: object }).labels = {
        ...image.metadata.labels,
        [IMAGE_DISPLAY_NAME]: image.spec.displayName as string,
      };
    }
  }

  // test/recordings: seen, images
  public async judgeImage(image: Live): Promise<Refusal | undefined> {
    const name = await this.classOf(image);
    if (!name) {
      return unprocessable('no default storageClass found for backingImage');
    }
    return (await this.read('storage.k8s.io/v1', 'StorageClass', name))
      ? undefined
      : unprocessable(`storageclasses.storage.k8s.io "${name}" not found`);
  }

  public async judgeSetting({ metadata: { name }, value }: Live): Promise<Refusal | undefined> {
    if (
      name !== 'rancher-cluster' ||
      !value ||
      (await this.read('v1', 'Secret', 'rancher-cluster-config', 'harvester-system'))
    ) {
      return undefined;
    }
    return unprocessable('harvester-system/rancher-cluster-config secret not found');
  }

  public async judgeBackup(): Promise<Refusal | undefined> {
    return (await this.setting('backup-target'))
      ? undefined
      : unprocessable('setting backup-target is empty');
  }

  /**
   * Defaults of a VirtualMachine. An interface without a MAC address gets a new one each time,
   * unless the annotation has one for it: test/recordings: seen, machines.
   */
  public async fillMachine({ metadata, spec }: Live): Promise<void> {
    const machine = spec?.template?.spec;
    if (!machine?.domain) {
      return;
    }
    const { domain } = machine;
    const known = JSON.parse(metadata.annotations?.['harvesterhci.io/mac-address'] ?? '{}') as {
      [name: string]: string;
    };
    for (const nic of domain.devices?.interfaces ?? []) {
      if (!nic.macAddress && !known[nic.name]) {
        nic.macAddress = newMac();
      }
    }
    machine.terminationGracePeriodSeconds ??= Number(
      await this.setting('default-vm-termination-grace-period-seconds'),
    );
    if (domain.cpu) {
      domain.cpu.maxSockets ??= domain.cpu.sockets;
    }
    const { cpu, memory } = domain.resources?.limits ?? {};
    if (cpu && memory) {
      const overcommit = JSON.parse(await this.setting('overcommit-config')) as {
        cpu: number;
        memory: number;
      };
      const mebibytes =
        Number(/^(\d+)Gi$/.exec(memory as string)?.[1] ?? 0) * 1024 ||
        Number(/^(\d+)Mi$/.exec(memory as string)?.[1] ?? 0);
      (domain.memory ??= {}).guest ??= memory;
      domain.resources.requests ??= {
        cpu: `${Math.floor((Number(cpu) * 100_000) / overcommit.cpu)}m`,
        memory: `${Math.floor((mebibytes * 100) / overcommit.memory)}Mi`,
      };
    }
    await this.placeMachine(machine);
  }

  /** Only nodes that have the cluster networks of its networks. */
  private async placeMachine(machine: Live['spec']): Promise<void> {
    const labels: string[] = [];
    for (const { multus } of machine.networks ?? []) {
      const [name, namespace = 'default'] = String(multus?.networkName ?? '')
        .split('/')
        .reverse();
      const network = name
        ? await this.read(ATTACHMENTS, 'NetworkAttachmentDefinition', name, namespace)
        : undefined;
      const clusterNetwork = network?.metadata.labels?.[CLUSTER_NETWORK_LABEL];
      if (clusterNetwork) {
        labels.push(`network.harvesterhci.io/${clusterNetwork}`);
      }
    }
    if (labels.length === 0) {
      return;
    }
    const matchExpressions = [...new Set(labels)].map((key) => ({
      key,
      operator: 'In',
      values: ['true'],
    }));
    machine.affinity ??= {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions }],
        },
      },
    };
  }

  public async fillVlanConfig({ metadata, spec }: Live): Promise<void> {
    const { body } = await this.client.list('v1', 'Node');
    const selector = Object.entries((spec.nodeSelector ?? {}) as { [label: string]: string });
    const nodes = (body.items as Live[]).filter(({ metadata: { labels = {} } }) =>
      selector.every(([label, value]) => labels[label] === value),
    );
    (metadata as { annotations?: object }).annotations = {
      ...metadata.annotations,
      'network.harvesterhci.io/matched-nodes': JSON.stringify(
        nodes.map(({ metadata: { name } }) => name),
      ),
    };
    if (spec.uplink?.bondOptions) {
      spec.uplink.bondOptions.miimon ??= -1;
    }
    if (spec.uplink?.linkAttributes) {
      spec.uplink.linkAttributes.txQLen ??= -1;
    }
  }

  /**
   * Refused as long as the network controller has not written the MTU: test/recordings: seen,
   * networks.
   */
  public async judgeClusterNetwork({
    metadata: { name, annotations = {} },
  }: Live): Promise<Refusal | undefined> {
    if (annotations['network.harvesterhci.io/uplink-mtu']) {
      return undefined;
    }
    const { body } = await this.client.list(NETWORK, 'VlanConfig');
    for (const { metadata, spec } of body.items as Live[]) {
      const mtu = spec.uplink?.linkAttributes?.mtu as number | undefined;
      if (spec.clusterNetwork === name && mtu && mtu !== DEFAULT_MTU) {
        return internal(
          `can't update cluster network ${name} because clusternetwork has MTU ${DEFAULT_MTU}, but the vlanconfigs ${metadata.name} has another MTU ${mtu}`,
        );
      }
    }
    return undefined;
  }

  // test/recordings: seen, networks: by the name of the bridge, not by the label
  public async judgeAttachment({
    metadata: { name, namespace },
    spec,
  }: Live): Promise<Refusal | undefined> {
    const [, clusterNetwork] =
      /^(.*)-br$/.exec(
        String((JSON.parse(spec.config as string) as { bridge?: string }).bridge ?? ''),
      ) ?? [];
    if (!clusterNetwork || (await this.read(NETWORK, 'ClusterNetwork', clusterNetwork))) {
      return undefined;
    }
    return internal(
      `can't create nad ${namespace}/${name} because clusternetworks.network.harvesterhci.io "${clusterNetwork}" not found`,
    );
  }

  public async fillPool({ metadata, spec }: Live): Promise<void> {
    const network = await this.networkOf(spec);
    const everyone = ((spec.selector?.scope ?? []) as { [field: string]: string }[]).some((scope) =>
      ['project', 'namespace', 'guestCluster'].every((field) => scope[field] === '*'),
    );
    (metadata as { labels?: object }).labels = {
      ...metadata.labels,
      'loadbalancer.harvesterhci.io/global-ip-pool': String(everyone),
      'loadbalancer.harvesterhci.io/vid':
        network?.metadata.labels?.['network.harvesterhci.io/vlan-id'] ?? '0',
    };
  }

  // test/recordings: seen, networks
  public async judgePool({ metadata: { name }, spec }: Live): Promise<Refusal | undefined> {
    const network = spec.selector?.network as string | undefined;
    if (!network || (await this.networkOf(spec))) {
      return undefined;
    }
    return internal(
      `can't create IP pool ${name} because network-attachment-definitions.k8s.cni.cncf.io "${network.split('/').at(-1)}" not found`,
    );
  }

  // test/recordings: seen, storage classes
  public async judgeStorageClass({
    metadata: { name, annotations },
  }: Live): Promise<Refusal | undefined> {
    if (annotations?.[DEFAULT_CLASS] !== 'true') {
      return undefined;
    }
    const other = await this.defaultClass();
    if (!other || other === name) {
      return undefined;
    }
    return unprocessable(
      `default storage class ${other} already exists, please reset it first before set ${name} as default`,
    );
  }

  private async networkOf(spec: Live['spec']): Promise<Live | undefined> {
    const [namespace, name] = String(spec.selector?.network ?? '').split('/');
    return name
      ? this.read(ATTACHMENTS, 'NetworkAttachmentDefinition', name, namespace)
      : undefined;
  }

  private async classOf(image: Live): Promise<string | undefined> {
    return image.metadata.annotations?.[IMAGE_CLASS] ?? (await this.defaultClass());
  }

  private async defaultClass(): Promise<string | undefined> {
    const { body } = await this.client.list('storage.k8s.io/v1', 'StorageClass');
    return (body.items as Live[]).find(
      ({ metadata: { annotations } }) => annotations?.[DEFAULT_CLASS] === 'true',
    )?.metadata.name;
  }

  private async setting(name: string): Promise<string> {
    const live = await this.read(HARVESTER, 'Setting', name);
    return String(
      live?.value ||
        live?.default ||
        settingsOf(this.version).find((setting) => setting.name === name)?.default ||
        '',
    );
  }

  private async read(
    apiVersion: string,
    kind: string,
    name: string,
    namespace?: string,
  ): Promise<Live | undefined> {
    const { status, body } = await this.client.read({
      apiVersion,
      kind,
      metadata: { name, ...(namespace ? { namespace } : {}) },
    });
    return status === 200 ? (body as Live) : undefined;
  }
}

/** A locally administered address at random. */
function newMac(): string {
  const bytes = [...randomBytes(6)];
  // eslint-disable-next-line no-bitwise
  bytes[0] = (bytes[0] | 2) & ~1;
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

function unprocessable(message: string): Refusal {
  return { code: 422, message };
}

function internal(message: string): Refusal {
  return { code: 500, message: `Internal error occurred: ${message}` };
}
