/**
 * Label of a ConfigMap that the UI offers as cloud-init (`user` or `network`), and of Secrets of cloud-init.
 * @see harvester/harvester-ui-extension:pkg/harvester/edit/harvesterhci.io.cloudtemplate.vue
 */
export const LABEL_CLOUD_INIT_TEMPLATE = 'harvesterhci.io/cloud-init-template';

/** The key of the text in such a ConfigMap. */
export const CLOUD_INIT_KEY = 'cloudInit';

/** The suffix of the names of cloud-init Secrets. @see harvester/docker-machine-driver-harvester:harvester/create.go */
export const CLOUD_INIT_SUFFIX = '-cloudinit';

/** The keys of the Secret of cloud-init. @see kubevirt/kubevirt:pkg/cloud-init/cloud-init.go */
export const CLOUD_INIT_KEYS = { USER: 'userdata', NETWORK: 'networkdata' } as const;

/**
 * The value of the label on such a Secret, as the UI writes it.
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js saveSecret
 */
export const CLOUD_INIT_LABEL_VALUE = 'harvester';
