import { DriverGrant } from '../../guest/machine-config/machine-config.kind';

/** A preset of permissions for virtual machines on a Harvester. */
export type VmPreset = 'viewer' | 'operator' | 'creator' | 'imageUser';

/** The permissions of a preset. */
interface VmPresetRow {
  /** The preset whose permissions it extends. */
  readonly extends?: VmPreset;
  /** What it is for, for descriptions and docs. */
  readonly what: string;
  readonly rules: readonly DriverGrant[];
}

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete'];
const KUBEVIRT = 'kubevirt.io';
const SUBRESOURCES = 'subresources.kubevirt.io';
const HARVESTER = 'harvesterhci.io';

const IMAGES: readonly DriverGrant[] = [
  { apiGroups: [HARVESTER], resources: ['virtualmachineimages', 'virtualmachinetemplates', 'virtualmachinetemplateversions'], verbs: READ },
  { apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'], verbs: READ },
  // cluster-scoped: Rancher grants them to members of a project nevertheless
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: READ },
];

/**
 * Permissions in a namespace with virtual machines. None of them reads Secrets, except for the creator, who writes cloud-init there.
 *
 * @see kubevirt/kubevirt:pkg/virt-operator/resource/generate/rbac/cluster.go (verbs of subresources), harvester/harvester:deploy/charts/harvester/templates/rbac.yaml,
 *   rancher/rancher:pkg/controllers/managementuser/rbac/roletemplates/roletemplate_handler.go promotedRulesForProjects (storage classes)
 */
export const VM_PRESETS: Readonly<Record<VmPreset, VmPresetRow>> = {
  imageUser: {
    what: 'sees images, templates, networks and storage classes, to create virtual machines in other namespaces from them',
    rules: IMAGES,
  },
  viewer: {
    extends: 'imageUser',
    what: 'sees virtual machines with their volumes, backups and events, but no Secrets',
    rules: [
      { apiGroups: [KUBEVIRT], resources: ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancemigrations'], verbs: READ },
      {
        apiGroups: [SUBRESOURCES],
        resources: ['virtualmachineinstances/guestosinfo', 'virtualmachineinstances/filesystemlist', 'virtualmachineinstances/userlist'],
        verbs: ['get'],
      },
      { apiGroups: [HARVESTER], resources: ['keypairs', 'virtualmachinebackups', 'virtualmachinerestores'], verbs: READ },
      { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshots'], verbs: READ },
      { apiGroups: [''], resources: ['persistentvolumeclaims', 'pods', 'events'], verbs: READ },
    ],
  },
  operator: {
    extends: 'viewer',
    what: 'starts, stops, restarts and pauses virtual machines, and opens their consoles',
    rules: [
      {
        apiGroups: [SUBRESOURCES],
        resources: ['virtualmachineinstances/console', 'virtualmachineinstances/vnc', 'virtualmachineinstances/vnc/screenshot'],
        verbs: ['get'],
      },
      {
        apiGroups: [SUBRESOURCES],
        resources: [
          'virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart',
          'virtualmachineinstances/pause', 'virtualmachineinstances/unpause', 'virtualmachineinstances/softreboot',
        ],
        verbs: ['update'],
      },
    ],
  },
  creator: {
    extends: 'operator',
    what: 'creates, changes and deletes virtual machines with their volumes, SSH keys, templates, backups and cloud-init',
    rules: [
      { apiGroups: [KUBEVIRT], resources: ['virtualmachines'], verbs: WRITE },
      {
        apiGroups: [SUBRESOURCES],
        resources: [
          'virtualmachines/addvolume', 'virtualmachines/removevolume', 'virtualmachineinstances/addvolume', 'virtualmachineinstances/removevolume',
        ],
        verbs: ['update'],
      },
      {
        apiGroups: [HARVESTER],
        resources: ['keypairs', 'virtualmachinetemplates', 'virtualmachinetemplateversions', 'virtualmachinebackups', 'virtualmachinerestores'],
        verbs: WRITE,
      },
      { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshots'], verbs: WRITE },
      { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: WRITE },
      { apiGroups: [''], resources: ['secrets'], verbs: [...READ, ...WRITE] },
    ],
  },
};

/**
 * `update` of virtual machines, without which Harvester's UI offers no actions such as Start.
 *
 * @see harvester/harvester:pkg/api/vm/formatter.go formatter (1.8.2)
 */
export const VM_UI_ACTIONS: DriverGrant = { apiGroups: [KUBEVIRT], resources: ['virtualmachines'], verbs: ['update'] };

/** All permissions of a preset, those of the presets that it extends first. */
export function vmPresetRules(preset: VmPreset): readonly DriverGrant[] {
  const { extends: base, rules } = VM_PRESETS[preset];
  return [...(base ? vmPresetRules(base) : []), ...rules];
}
