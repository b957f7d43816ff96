/** What lint refuses and the servers took, by rule and kind, and why. */
export const LINT_ALONE: readonly (readonly [rule: RegExp, reason: string])[] = [
  [
    /^machine-config\//,
    'Rancher stores any HarvesterConfig: its node driver refuses the machine, or makes another one',
  ],
  [
    /^cluster\//,
    'the webhook of Rancher does not compare the field: the cluster is not provisioned, or loses the value',
  ],
  [
    /^cluster-repo\//,
    'Rancher accepts the ClusterRepo, and reports in its status that it cannot download it',
  ],
  [
    /^(user-password|user)\//,
    'Rancher accepts the Secret or the User, and the user cannot log in with the password',
  ],
  [
    /^registration-token\//,
    'Rancher accepts the Secret, and finds no cluster by the token of an agent',
  ],
  [/^auth-config\//, 'Rancher enables the provider, and no user can log in'],
  [/^rancher-setting\//, 'Rancher stores the value, and uses the default'],
  [/^project\/name /, 'Rancher cannot create the namespace of the Project'],
  [
    /^((project|cluster|global-role)-binding)\//,
    'the webhook of Rancher compares the members of a binding at its creation only',
  ],
  [
    /^object\/\S+ (OIDCClient|HelmChartConfig)$/,
    'the server had a definition without a structure: OpenID Connect was off, and no Helm controller ran',
  ],
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
  [/^kubernetes\/secret-update /, 'the server keeps the type of a live Secret whose type is empty'],
];

/** What a server refused and lint takes, by `<kind>/<name> <mode>: <change>`, and why. */
export const SERVER_ALONE: readonly (readonly [change: RegExp, reason: string])[] = [
  [
    /metadata\.namespace = "judge-no-such-namespace"$/,
    'another program may create the namespace: apply waits for it',
  ],
  [
    /^Cluster\/\S+ create: .*(metadata\.annotations( = (null|\{\}))?|no-creator-rbac.*)$/,
    'only a dry run is refused: the creator of an object that is not stored is not known',
  ],
  [/annotations\[\S+\] = null$/, 'null in place of an annotation is an empty text'],
  [
    /\[\d+\] = null$/,
    'null in place of an item is an empty text, which lint does not judge everywhere',
  ],
  [
    /: nothing$/,
    'the object needs one that this server lacks: a Secret, a network, a claim, a node, or a definition',
  ],
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
  [
    /^Cluster\/\S+ edit: .*unhealthyNodeTimeout = ""$/,
    'an empty duration means none where it is not set',
  ],
];
