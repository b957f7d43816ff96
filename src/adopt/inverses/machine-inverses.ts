import { Inverse } from '../../core/draft/inverse';
import { SERVICE_ACCOUNT_KUBECONFIG_INVERSE } from '../../harvester/account/service-account-kubeconfig.adopt';
import { SCHEDULE_VM_BACKUP_INVERSE, SNAPSHOT_QUOTA_INVERSE } from '../../harvester/backup/backup.adopt';
import { CLOUD_INIT_SECRET_INVERSE, CLOUD_INIT_TEMPLATE_INVERSE } from '../../harvester/cloud-init/cloud-init-secret.adopt';
import { PCI_DEVICE_CLAIM_INVERSE, USB_DEVICE_CLAIM_INVERSE } from '../../harvester/device/device-claim.adopt';
import { IMAGE_CLASS_INVERSE, VM_IMAGE_INVERSE } from '../../harvester/image/vm-image.adopt';
import { KEY_PAIR_INVERSE } from '../../harvester/key-pair/key-pair.adopt';
import { VOLUME_ENCRYPTION_INVERSE } from '../../harvester/storage/volume-encryption.adopt';
import { VOLUME_INVERSE } from '../../harvester/storage/volume.adopt';
import { TEMPLATE_INVERSE, TEMPLATE_VERSION_INVERSE } from '../../harvester/template/template.adopt';
import { VIRTUAL_MACHINE_INVERSE } from '../../harvester/virtual-machine/virtual-machine.adopt';

/** Virtual machines, their images, volumes, keys, and backups, and accounts of those who create them. */
export const MACHINE_INVERSES: readonly Inverse[] = [
  VIRTUAL_MACHINE_INVERSE, VM_IMAGE_INVERSE, IMAGE_CLASS_INVERSE, KEY_PAIR_INVERSE, VOLUME_INVERSE, VOLUME_ENCRYPTION_INVERSE,
  CLOUD_INIT_SECRET_INVERSE, CLOUD_INIT_TEMPLATE_INVERSE, SCHEDULE_VM_BACKUP_INVERSE, SNAPSHOT_QUOTA_INVERSE,
  SERVICE_ACCOUNT_KUBECONFIG_INVERSE, TEMPLATE_INVERSE, TEMPLATE_VERSION_INVERSE, PCI_DEVICE_CLAIM_INVERSE, USB_DEVICE_CLAIM_INVERSE,
];
