/** Label of nodes that Harvester manages, which is all of them. */
export const LABEL_MANAGED_NODE = 'harvesterhci.io/managed';

/** Files of /oem that belong to Harvester. @see harvester/node-manager:pkg/admitter/cloudinit.go builtinFilenameDenyList */
export const PROTECTED_OEM_FILES: readonly string[] = [
  '90_custom.yaml', '99_settings.yaml', 'elemental.config', 'grubenv', 'harvester.config', 'install',
];
