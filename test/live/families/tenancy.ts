import { Family, Stage } from './family';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { ClusterMember, ClusterMembers } from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';

const clusterId = ({ fixed }: Pick<Stage, 'fixed'>): string =>
  `c-m-${fixed('h').replace(/-/g, '')}`;

/** A Harvester that is never registered, with tenants. */
export const TENANCY: Family = {
  title: 'tenancy',
  base: (stage) => {
    const { rancher, dc1, fixed } = stage;
    new HarvesterImport(rancher, 'import', {
      harvester: dc1,
      name: fixed('dc1'),
      clusterId: ClusterId.fixed(clusterId(stage)),
      register: false,
    });
    ['ana', 'ben'].forEach(
      (name) =>
        new LocalUser(rancher, name, {
          name: fixed(name),
          permissions: [GlobalPermission.USER_BASE],
        }),
    );
  },
  declare: (stage, copy) => {
    const { rancher, name, fixed, variation } = stage;
    const cluster = HarvesterImport.fromClusterId(rancher, `cluster-${copy}`, {
      clusterId: clusterId(stage),
    });
    const id = variation.isEdited ? 'ben' : 'ana';
    const user = LocalUser.fromName(rancher, `user-${copy}`, { name: fixed(id) });
    const principal = Principal.localUser(user);
    if (copy === 0) {
      new ClusterMembers(rancher, 'members', {
        cluster,
        members: [ClusterMember.member(principal)],
      });
    }
    new TenantProject(rancher, `project-${copy}`, {
      cluster,
      name: name('project').replace(/.*-project/, 'project'),
      displayName: variation.isEdited ? 'Edited' : 'Unchanged',
      members: [ProjectMember.owner(principal)],
    });
  },
  access: (stage, variation) => {
    const id = clusterId(stage);
    const of = (user: string, allowed: boolean) => ({
      on: 'rancher' as const,
      user: stage.fixed(user),
      verb: 'get',
      group: 'management.cattle.io',
      resource: 'clusters',
      name: id,
      allowed,
    });
    return [
      of('ana', variation !== undefined && !variation.isEdited),
      of('ben', variation?.isEdited === true),
    ];
  },
  without: ['edit what is immutable', 'move to another namespace'],
};
