import { ApiObject } from 'cdk8s';
import { Family } from './family';
import { ClusterRepo } from '../../../src/rancher/catalog/cluster-repo';

/** Objects of Rancher that give no one access. */
export const CATALOG: Family = {
  title: 'catalog',
  products: ['rancher'],
  declare: ({ rancher, name, variation }, copy) => {
    const { isEdited } = variation;
    new ClusterRepo(rancher, `repository-${copy}`, {
      name: name('charts'),
      url: `https://charts.invalid/${isEdited ? 'new' : 'old'}`,
    });
    new ApiObject(rancher, `link-${copy}`, {
      apiVersion: 'ui.cattle.io/v1',
      kind: 'NavLink',
      metadata: { name: name('link') },
      spec: {
        label: isEdited ? 'Edited' : 'Link',
        target: '_blank',
        toURL: 'https://www.example.com',
      },
    });
    new ApiObject(rancher, `psact-${copy}`, {
      apiVersion: 'management.cattle.io/v3',
      kind: 'PodSecurityAdmissionConfigurationTemplate',
      metadata: { name: name('psact') },
      configuration: {
        defaults: { enforce: isEdited ? 'baseline' : 'restricted' },
        exemptions: { namespaces: ['kube-system'] },
      },
    });
    new ApiObject(rancher, `client-${copy}`, {
      apiVersion: 'management.cattle.io/v3',
      kind: 'OIDCClient',
      metadata: { name: name('client') },
      spec: {
        redirectURIs: ['https://app.example.com'],
        tokenExpirationSeconds: isEdited ? 900 : 600,
        refreshTokenExpirationSeconds: 3600,
      },
    });
  },
  without: ['edit what is immutable', 'move to another namespace'],
};
