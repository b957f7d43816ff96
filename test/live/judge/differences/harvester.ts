import { Differences } from './differences';

/** Differences between lint and a Harvester. */
export const HARVESTER: Differences = {
  lintAlone: [
    [
      /^object\/required-field VirtualMachine:/,
      'the webhooks of Harvester and KubeVirt write the object again, with an empty text in place of a missing one, before the definition is compared',
    ],
    [
      /^object\/null-field (LoadBalancer|VirtualMachine|VlanConfig)/,
      'a webhook of Harvester or KubeVirt writes the object again, without null, before the definition is compared',
    ],
    [
      /^tenant-namespace\//,
      'the webhook of the Rancher that a Harvester contains refuses it, and did not run',
    ],
    [/^subnet\//, 'Kube-OVN accepts the Subnet, and reports in its status that it cannot use it'],
    [
      /^node-cloud-init\//,
      'the webhook of Harvester compares names only: the node fails at its next start',
    ],
    [
      /^object\/metadata /,
      'the webhook of Harvester replaces the label, which is not valid, with its own value',
    ],
    [
      /^load-balancer\/pool-exhausted /,
      'Harvester accepts the LoadBalancer, which then has no address',
    ],
    [
      /^vlan-config\/overlap /,
      'the webhook of Harvester knows the nodes by objects that its network controller makes, which did not run',
    ],
    [
      /^virtual-machine\/kubevirt \S+: \S+\.interfaces\[\d+\]\.sriov = /,
      'the webhook of KubeVirt accepts SR-IOV next to another binding, and the machine then fails: its network has no PCI address to give (pkg/virt-launcher/virtwrap/device/hostdevice/sriov/hostdev.go, 1.7.0)',
    ],
    [/^harvester-setting\//, 'Harvester stores the value, and its controller fails on it'],
    [
      /^storage-class\/spec /,
      'Kubernetes stores an empty text in place of null, from which Longhorn makes no volume',
    ],
  ],
  serverAlone: [
    [
      /^VirtualMachineTemplateVersion\/\S+ edit: nothing$/,
      'the webhook of Harvester refuses every update of a version, also one that changes nothing',
    ],
    [
      /^NetworkAttachmentDefinition\/\S+ create: .*metadata\.labels/,
      'the webhook of Harvester compares the MTU before it sets the label of the cluster network',
    ],
    [
      /^Service\/\S+ \S+ spec\.ipFamilyPolicy = "RequireDualStack"$/,
      'no object of a cluster shows whether it has two families of addresses',
    ],
    [
      /^PersistentVolumeClaim\/\S+ edit: spec\.volumeAttributesClassName = /,
      'only a bound claim can have another class, and a claim becomes bound by itself',
    ],
    [
      /^PersistentVolumeClaim\/\S+ edit: spec\.selector = \{\}$/,
      'an empty selector is a value to the server, and equals none in other fields',
    ],
    [
      /^VirtualMachine\/\S+ edit: spec\.template\.metadata\.(annotations|labels) = \{\}$/,
      'Harvester writes null in place of a map that an apply empties, which KubeVirt refuses; without the field, both are kept',
    ],
    [/^Setting\/\S+ edit: default = /, 'Harvester owns the default of a setting'],
  ],
};
