import { JudgedObject, Rule } from './rule';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../model/guest/rancher-names';
import { isLate } from '../model/late-token';
import { kindKey } from '../model/manifest';
import { Problem } from '../model/problem';

const PLAIN: Rule = {
  id: 'machine-config/plain-password',
  level: 'warning',
  kinds: [kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)],
  what: 'a password for ssh stands in clear in Git, in the HarvesterConfig and in the cloud-init of each machine',
  source: 'harvester/docker-machine-driver-harvester:harvester/cloudinit.go userDataPasswordTemplate',
  *judge({ manifest: { sshPassword } }: JudgedObject): Iterable<Problem> {
    if (typeof sshPassword !== 'string' || sshPassword === '' || isLate(sshPassword)) { return; }
    yield {
      path: 'sshPassword',
      message: 'is a credential in clear, and lets everybody who reads it into each machine',
      fix: 'leave it out: Rancher makes a key for each machine; give people ssh keys, or users with a hash of their password, in the user data',
    };
  },
};

/** Every rule over passwords of machines. */
export const MACHINE_PASSWORD_RULES: readonly Rule[] = [PLAIN];
