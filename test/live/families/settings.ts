import { Duration } from 'cdk8s';
import { Family } from './family';
import { HarvesterSetting } from '../../../src/harvester/settings/harvester-setting';
import { RancherFeature } from '../../../src/rancher/settings/rancher-feature';
import { RancherSetting } from '../../../src/rancher/settings/rancher-setting';

/** Settings and features: a server has each once, so they are never split, renamed, or moved. */
export const SETTINGS: Family = {
  title: 'settings',
  declare: ({ rancher, dc1, variation }, copy) => {
    if (copy > 0) {
      return;
    }
    const { isEdited } = variation;
    RancherSetting.passwordMinLength(rancher, 'password', isEdited ? 14 : 13);
    RancherSetting.sessionIdleLifetime(rancher, 'idle', Duration.hours(isEdited ? 2 : 3));
    RancherSetting.hideLocalCluster(rancher, 'local', isEdited);
    // a change restarts nothing: rancher/rancher:pkg/features/feature.go
    new RancherFeature(rancher, 'istio-virtual-service-ui', { enabled: isEdited });
    HarvesterSetting.ntpServers(dc1, 'time', [isEdited ? 'new.example.com' : 'old.example.com']);
    HarvesterSetting.overcommitConfig(dc1, 'overcommit', {
      cpuPercent: isEdited ? 800 : 700,
      memoryPercent: 150,
      storagePercent: 200,
    });
    HarvesterSetting.supportBundleTimeout(dc1, 'bundle', Duration.minutes(isEdited ? 20 : 30));
    HarvesterSetting.additionalGuestMemoryOverheadRatio(dc1, 'overhead', isEdited ? 2 : 2.5);
    HarvesterSetting.maxHotplugRatio(dc1, 'hotplug', isEdited ? 3 : 2);
  },
  without: [
    'edit what is immutable',
    'split in two',
    'join',
    'rename',
    'move to another namespace',
  ],
};
