import { VmImage } from '../../../src/harvester/image/vm-image';
import { Principal } from '../../../src/rancher/members/principal';
import { RoleTemplate } from '../../../src/rancher/role/role-template';
import { SharedImages } from '../../../src/rancher/team/shared-images';
import { tenantWorld } from '../../support/tenants';
import { assemblyOf, written } from '../../support/written';

const ORDERS = Principal.group('okta_group://orders');

test('shares the images of one namespace with its users, who can read no Secrets', () => {
  const { app, rancher, dc1, cluster } = tenantWorld();
  const images = new SharedImages(rancher, 'shared', { cluster, displayName: 'Shared', namespaceName: 'shared-images', users: [Principal.group('okta_group://payments')] });
  images.addUser(ORDERS);
  VmImage.download(dc1, 'debian', { namespace: images.namespace, url: 'https://example.com/debian.qcow2' });
  const objects = written(app);
  expect(objects['rancher/Project/shared'].spec.displayName).toBe('Shared');
  expect(objects['dc1/Namespace/shared-images'].metadata.annotations).toEqual({ 'field.cattle.io/projectId': 'c-m-harvdc05:shared' });
  expect(objects['rancher/RoleTemplate/shared-user'].rules.flatMap(({ resources }: any) => resources)).not.toContain('secrets');
  const bindings = Object.values(objects).filter(({ kind }) => kind === 'ProjectRoleTemplateBinding');
  expect(bindings.map(({ groupPrincipalName, roleTemplateName }) => [groupPrincipalName, roleTemplateName]).sort()).toEqual([
    ['okta_group://orders', 'shared-user'], ['okta_group://payments', 'shared-user'],
  ]);
  expect(assemblyOf(app).findings).toEqual([]);
});

test('can take a role that the program has', () => {
  const { app, rancher, cluster } = tenantWorld();
  const role = RoleTemplate.imageUser(rancher, 'image-user');
  expect(new SharedImages(rancher, 'shared', { cluster, role, users: [ORDERS] }).role).toBe(role);
  expect(Object.keys(written(app)).filter((key) => key.includes('/RoleTemplate/'))).toEqual(['rancher/RoleTemplate/image-user']);
});
