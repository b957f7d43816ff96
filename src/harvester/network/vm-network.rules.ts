import { checkAttachment, checkRouteText } from './vm-network.check';
import {
  netConfOf,
  NetConf,
  VlanTrunk,
  GROUP_ATTACHMENT,
  KIND_NETWORK_ATTACHMENT,
  ANNOTATION_ROUTE,
  CNI,
  systemNetworkOf,
  VM_NETWORK_DESCRIPTION,
} from './vm-network.kind';
import {
  Manifest,
  valueAt,
  annotationsOf,
  isFromServer,
  labelsOf,
  objectLabel,
  sameValue,
  itemsAt,
  specOf,
} from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK, GROUPS } from '../../core/manifest/names';
import { immutableRule } from '../../core/rule/general/immutable-fields.rules';
import { ruleOf, rules } from '../../core/rule/kit/fact';
import { errorIf, unique } from '../../core/rule/kit/relations';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { perTarget } from '../../core/rule/world-lookup';
import { some } from '../../core/text/plain-text';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { KUBE_OVN_ADDON } from '../addon/addon.kind';
import { effectiveMtu } from '../cluster-network/cluster-network.check';
import {
  attachmentNetwork,
  judgeKnown,
  networkMtu,
} from '../cluster-network/cluster-network.rules';
import { networkOf } from '../settings/catalogue/network.check';
import { valueBeside, settingContext } from '../settings/entry/setting.facts';
import { HarvesterGate } from '../version/harvester-version';

const KINDS = [`${GROUP_ATTACHMENT}/${KIND_NETWORK_ATTACHMENT}`];

/** What a network with a VLAN is to others of its namespace: bridge and VLAN. */
function placeOf(manifest: Manifest): string | undefined {
  const { bridge, vlan } = netConfOf(specOf(manifest).config) ?? {};
  return bridge && vlan
    ? `${manifest.metadata.namespace ?? 'default'} ${bridge} ${vlan}`
    : undefined;
}

/** Rules for networks with one VLAN. */
export const VLAN_TWICE_RULES = rules({ kinds: KINDS }, [
  {
    id: 'network-attachment/vlan-twice',
    level: 'warning',
    what:
      'a VLAN of a cluster network has one network in a namespace: two are the same network under two names, and ' +
      'IP pools are for only one of them',
    source: 'harvester/docs networking/harvester-network.md',
    surelyOn: 'harvester',
    judge: unique(
      [GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT],
      ({ manifest }) => placeOf(manifest),
      (other, { manifest }) => ({
        path: 'spec.config.vlan',
        value: netConfOf(specOf(manifest).config)?.vlan,
        message: `is also the VLAN of the network ${other.manifest.metadata.name}`,
        fix: 'correct the VLAN, or use one network',
      }),
    ),
  },
]);

const VALIDATOR = 'harvester/network-controller-harvester:pkg/webhook/nad/validator.go';

// Multus runs on other clusters too, where the rules of Harvester do not apply
function isHarvesters({ manifest, target }: JudgedObject): boolean {
  if (target.kind) {
    return target.kind === 'harvester';
  }
  return [...Object.keys(labelsOf(manifest)), ...Object.keys(annotationsOf(manifest))].some((key) =>
    key.startsWith(`${GROUP_HARVESTER_NETWORK}/`),
  );
}

function carries({ vlan, vlanTrunk = [] }: NetConf, wanted: number): boolean {
  const inRange = ({ id, minID = Infinity, maxID = -Infinity }: VlanTrunk = {}) =>
    id === wanted || (minID <= wanted && wanted <= maxID);
  return vlan === wanted || vlanTrunk.some(inRange);
}

const IMMUTABLE = immutableRule('network-attachment/update', VM_NETWORK_DESCRIPTION);

function changes(now: NetConf, old: NetConf): boolean {
  return (
    now.vlan !== old.vlan ||
    !sameValue(now.vlanTrunk, old.vlanTrunk) ||
    effectiveMtu(now.mtu) !== effectiveMtu(old.mtu)
  );
}

function usesNetwork(machine: Manifest, id: string): boolean {
  const own = machine.metadata.namespace ?? 'default';
  return itemsAt(machine, 'spec', 'template', 'spec', 'networks').some((network) => {
    const name = valueAt(network, 'multus', 'networkName');
    return typeof name === 'string' && (name.includes('/') ? name : `${own}/${name}`) === id;
  });
}

/** The VLANs that networks of one VLAN open on their uplinks, as `<cluster network> <VLAN>`. */
const openVlans = perTarget(
  GROUP_ATTACHMENT,
  KIND_NETWORK_ATTACHMENT,
  (networks) =>
    new Set(
      networks.map(
        ({ manifest }) =>
          `${attachmentNetwork(manifest)} ${netConfOf(specOf(manifest).config)?.vlan}`,
      ),
    ),
);

/** Rules on VM networks. */
export const NETWORK_ATTACHMENT_RULES: readonly Rule[] = [
  ...rules({ kinds: KINDS, when: isHarvesters }, [
    {
      id: 'network-attachment/config',
      what: 'the config of a network has the bridge of a cluster network and valid VLANs, and matches the labels',
      source: `${VALIDATOR}; pkg/utils/nad.go`,
      judge: (object, world) => {
        const { manifest, target } = object;
        const { name, namespace = 'default' } = manifest.metadata;
        const clusterNetwork = attachmentNetwork(manifest);
        return checkAttachment(
          specOf(manifest).config,
          { name, namespace, labels: labelsOf(manifest) },
          {
            lacksTrunk: lacksFeature(target, HarvesterGate.NETWORK_TRUNK),
            isCarried: (vlan) => openVlans(object, world).has(`${clusterNetwork} ${vlan}`),
            lacksOverlay: lacksFeature(target, HarvesterGate.NETWORK_OVERLAY),
            exists: world.exists(object),
            overlayAnywhere: hasFeature(target, HarvesterGate.HOST_NETWORK_CONFIG),
          },
        );
      },
    },
    {
      id: 'network-attachment/route',
      what: 'the route of a network is auto, or manual with a range and a gateway',
      source: 'harvester/network-controller-harvester:pkg/utils/nad.go NewLayer3NetworkConf',
      field: `metadata.annotations[${ANNOTATION_ROUTE}]`,
      check: checkRouteText,
    },
    {
      id: 'network-attachment/cluster-network',
      what: 'the cluster network of a network exists, if the cluster networks are known',
      source: `${VALIDATOR} checkNadConfig; seen on network-controller-harvester 1.8.2`,
      gate: HarvesterGate.CLUSTER_NETWORK_MUST_EXIST,
      judge: (object, world) => {
        const network = attachmentNetwork(object.manifest);
        return judgeKnown(
          object,
          world,
          'spec.config.bridge',
          network,
          `clusternetworks.network.harvesterhci.io "${network}" not found`,
        );
      },
    },
    {
      id: 'network-attachment/overlay-addon',
      // the webhook asks for the definitions of Kube-OVN, which a disabled add-on may have left
      level: 'warning',
      what: 'the add-on kubeovn-operator is enabled before an overlay network is created',
      source: `${VALIDATOR} Create`,
      creation: true,
      when: ({ manifest }) => netConfOf(specOf(manifest).config)?.type === CNI.KUBE_OVN,
      judge: (object, world) => {
        const { namespace, name } = KUBE_OVN_ADDON;
        const addon = world.find(object, GROUPS.HARVESTER, 'Addon', namespace, name)?.manifest;
        return (
          addon !== undefined &&
          specOf(addon).enabled !== true && {
            path: 'spec.config.type',
            value: CNI.KUBE_OVN,
            message: `requires the add-on ${name}, which is disabled`,
            fix: 'enable the add-on first',
            says: 'kubeovn is not yet enabled',
          }
        );
      },
    },
    {
      id: 'network-attachment/mtu',
      level: 'warning',
      what: 'the MTU of a network is that of its cluster network, with which the server overwrites any other',
      source:
        'harvester/network-controller-harvester:pkg/webhook/nad/mutator.go patchMTU; pkg/webhook/nad/validator.go',
      judge: (object, world) => {
        const conf = netConfOf(specOf(object.manifest).config);
        const network = attachmentNetwork(object.manifest);
        if (!conf || conf.type === CNI.KUBE_OVN || network === undefined) {
          return undefined;
        }
        const mtu = networkMtu(object, world, network);
        return (
          mtu !== undefined &&
          mtu !== effectiveMtu(conf.mtu) && {
            path: 'spec.config.mtu',
            ...(conf.mtu === 0 ? {} : { value: conf.mtu }),
            message:
              `must be ${mtu}, the MTU of the cluster network ${network}, got ${effectiveMtu(conf.mtu)}: the server ` +
              'overwrites that of a new network, and refuses a change',
            fix: `set "mtu":${mtu}`,
            says: `nad MTU ${conf.mtu} does not match cluster network MTU ${mtu}`,
          }
        );
      },
    },
    {
      id: 'network-attachment/storage-vlan',
      what: 'the exclusive VLAN of the storage network carries no other network',
      source:
        'harvester/network-controller-harvester master (Harvester 1.9); unconfirmed (not verified on a running system)',
      when: ({ manifest }) => systemNetworkOf(manifest) !== 'storage-network',
      judge: (object, world) => {
        const conf = netConfOf(specOf(object.manifest).config);
        const storage = networkOf(
          'storage-network',
          valueBeside(object, world, 'storage-network') ?? '',
          settingContext(object.target),
        );
        if (!conf || !storage?.exclusiveVlan || storage.vlan < 2) {
          return undefined;
        }
        return (
          storage.clusterNetwork === attachmentNetwork(object.manifest) &&
          carries(conf, storage.vlan) && {
            path: conf.vlan === storage.vlan ? 'spec.config.vlan' : 'spec.config.vlanTrunk',
            value: storage.vlan,
            level: errorIf(hasFeature(object.target, HarvesterGate.STORAGE_VLAN_EXCLUSIVE)),
            message: 'cannot be the VLAN that the setting storage-network reserves exclusively',
            fix: 'use a different VLAN, or remove exclusiveVlan from the setting',
            says: `vlan ${storage.vlan} is exclusively reserved for storage network`,
          }
        );
      },
    },
    {
      id: 'network-attachment/in-use',
      what: 'a network cannot be deleted while virtual machines or Subnets of Kube-OVN use it',
      source: `${VALIDATOR} checkVM, checkSubnetsUsingNAD`,
      judgeDeletion: (gone, world) => {
        const { name, namespace = 'default' } = gone.manifest.metadata;
        const id = `${namespace}/${name}`;
        const machines = world
          .beside(gone, 'kubevirt.io', 'VirtualMachine')
          .filter(({ manifest }) => usesNetwork(manifest, id));
        const provider = `${name}.${namespace}.ovn`;
        const subnets = world
          .beside(gone, 'kubeovn.io', 'Subnet')
          .filter(({ manifest }) => specOf(manifest).provider === provider);
        const users = [...machines, ...subnets];
        return (
          users.length > 0 && {
            message: `cannot be deleted while ${some(users.map(({ manifest }) => objectLabel(manifest)))} use it`,
            fix: 'remove it from them in an earlier step',
            says:
              machines.length > 0
                ? `it's still used by VM(s) ${machines.map(({ manifest }) => manifest.metadata.name).join(', ')} ` +
                  'which must remove the related networks and interfaces'
                : `subnet ${subnets[0]!.manifest.metadata.name} is still using the nad ${name} ${namespace}`,
          }
        );
      },
    },
  ]),
  ruleOf({
    ...IMMUTABLE,
    when: isHarvesters,
    judgeUpdate: (object, before, world) => {
      const problems = [...IMMUTABLE.judgeUpdate(object, before, world)];
      const [now, old] = [object.manifest, before].map((manifest) =>
        netConfOf(specOf(manifest).config),
      );
      if (problems.length > 0 || !now || !old) {
        return problems;
      }
      const setting = sameValue(now, old) ? undefined : systemNetworkOf(object.manifest);
      if (setting !== undefined) {
        return {
          path: 'spec.config',
          level: errorIf(hasFeature(object.target, HarvesterGate.SYSTEM_NETWORK_FIXED)),
          message: `cannot be changed: it is the network of the setting ${setting}`,
          fix: `change the setting ${setting}, which creates another network`,
          says: "system network nad's params can't be changed",
        };
      }
      return (
        !isFromServer(before) &&
        changes(now, old) && {
          path: 'spec.config',
          level: 'warning',
          message: 'cannot be changed while virtual machines on this network run',
          fix: 'stop the VMs first',
          says: "it's still used by VM(s) … which must be stopped at first",
        }
      );
    },
  }),
];
