import { Differences } from './differences';

/** Differences between lint and a Harvester. */
export const HARVESTER: Differences = {
  lintAlone: [
    [
      /^(object|virtual-machine)\/\S+ VirtualMachine$/,
      'the server had a definition of VirtualMachines without a structure, and KubeVirt did not run: its webhook refuses these',
    ],
    [
      /^tenant-namespace\//,
      'Rancher moves the namespace to its project or reports it; the webhook of Harvester does not compare it',
    ],
    [/^subnet\//, 'Kube-OVN accepts the Subnet, and reports in its status that it cannot use it'],
    [
      /^node-cloud-init\//,
      'the webhook of Harvester compares names only: the node fails at its next start',
    ],
    [
      /^(object\/metadata|network-attachment\/config) /,
      'the webhook of Harvester replaces the label with its own value: what the manifest has is lost',
    ],
    [
      /^object\/null-field (LoadBalancer|VlanConfig)/,
      'the webhook of Harvester fills in the field before the definition is compared',
    ],
    [
      /^load-balancer\//,
      'Harvester accepts the LoadBalancer, which then has no address or no health check',
    ],
    [
      /^vlan-config\/overlap /,
      'the webhook of Harvester knows the nodes by objects that its network controller makes, which did not run',
    ],
    [/^harvester-setting\//, 'Harvester stores the value, and its controller fails on it'],
    [/^storage-class\/spec /, 'Kubernetes uses its default in place of null and of an empty text'],
    [
      /^image\/update /,
      'Harvester holds the annotation of an existing image, so that an apply does not remove it',
    ],
    [
      /^object\/\S+ HelmChartConfig$/,
      'the server had a definition without a structure: no Helm controller ran',
    ],
  ],
  serverAlone: [
    [
      /^NetworkAttachmentDefinition\/\S+ create: .*metadata\.labels/,
      'Harvester compares the MTU before it sets the label of the cluster network',
    ],
    [
      /^Service\/\S+ \S+ (metadata\.name|spec\.(healthCheckNodePort|ipFamilyPolicy|trafficDistribution))/,
      'names of Services, and fields that depend on the network of the cluster, are not judged',
    ],
    [
      /^PersistentVolumeClaim\/\S+ edit: spec\.(selector|volumeAttributesClassName) = /,
      'a field that is added to a volume may already be the one that the server has',
    ],
    [
      /^VirtualMachine(TemplateVersion)?\/\S+ \S+ .*(cpu|limits|memory|spec\.template\.spec = null)/,
      'sizes of numbers and quantities of a VirtualMachine, and a machine without a CPU, are not judged',
    ],
    [
      /^VlanConfig\/\S+ \S+ .*hardwareAddr/,
      'Harvester ignores the address, whose form is not judged',
    ],
    [/^Setting\/\S+ edit: default = /, 'Harvester owns the default of a setting'],
  ],
};
