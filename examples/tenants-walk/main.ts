import { Size } from 'cdk8s';
import {
  Cpu,
  GlobalPermission,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HashedPassword,
  Principal,
  ProjectMember,
  RancherChart,
  TenantProject,
  TokenSource,
  LocalUser,
} from 'cdk8s-harvester';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

// another tool creates the Secret with the token, such as a SealedSecret
const harvester = new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  registrationToken: TokenSource.secret(),
});

// hashes of example passwords, printed by `cdk8s-harvester hash-password`
const owner = new LocalUser(rancher, 'project-owner', {
  permissions: [GlobalPermission.USER],
  password: HashedPassword.fromText(
    'pbkdf2sha3512:l1ElpPx2d63kHOa33qKAIlcKX8k6BQ1IR6tNWcS6T3c=:A7iHc5a4FK/Gg76OY+Kv0XxCbfRXY1CQRqI+psI+PI8=',
  ),
});
const reader = new LocalUser(rancher, 'project-readonly', {
  permissions: [GlobalPermission.USER],
  password: HashedPassword.fromText(
    'pbkdf2sha3512:w1/+fnzUufcIdSDujIHf06NChzFcMXjBO03HdSzx4SQ=:o7W0oS6yCq016VbDjA9PXFWfM3JmVdDCrA0PHtcdIv8=',
  ),
});

new TenantProject(rancher, 'project-a', {
  cluster: harvester,
  tenantNamespaces: [{ name: 'project-a' }],
  quota: { limitsCpu: Cpu.units(16), limitsMemory: Size.gibibytes(64) },
  members: [
    ProjectMember.owner(Principal.localUser(owner)),
    ProjectMember.readOnly(Principal.localUser(reader)),
  ],
});

app.synth();
