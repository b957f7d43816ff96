import { testInverses } from './_inverses';

testInverses([
  'KeyPair', 'VmImage', 'Volume', 'VolumeEncryption', 'CloudInitSecret', 'CloudInitTemplate', 'ScheduleVmBackup', 'SnapshotQuota', 'VirtualMachine',
], {
});
