import { Differences } from './differences';

/** Differences between lint and a Rancher. */
export const RANCHER: Differences = {
  lintAlone: [
    [
      /^machine-config\//,
      'Rancher stores any HarvesterConfig: its node driver refuses the machine, or makes another one',
    ],
    [
      /^cluster\//,
      'the webhook of Rancher does not compare the field: the cluster is not provisioned, or loses the value',
    ],
    [
      /^cluster-repo\//,
      'Rancher accepts the ClusterRepo, and reports in its status that it cannot download it',
    ],
    [
      /^(user-password|user)\//,
      'Rancher accepts the Secret or the User, and the user cannot log in with the password',
    ],
    [
      /^registration-token\//,
      'Rancher accepts the Secret, and finds no cluster by the token of an agent',
    ],
    [/^auth-config\//, 'Rancher enables the provider, and no user can log in'],
    [/^rancher-setting\//, 'Rancher stores the value, and uses the default'],
    [/^project\/name /, 'Rancher cannot create the namespace of the Project'],
    [
      /^((project|cluster|global-role)-binding)\//,
      'the webhook of Rancher compares the members of a binding at its creation only',
    ],
    [
      /^object\/\S+ (OIDCClient|HelmChartConfig)$/,
      'the server had a definition without a structure: OpenID Connect was off, and no Helm controller ran',
    ],
  ],
  serverAlone: [
    [
      /^Cluster\/\S+ create: .*(metadata\.annotations( = (null|\{\}))?|no-creator-rbac.*)$/,
      'only a dry run is refused: the creator of an object that is not stored is not known',
    ],
    [
      /^Cluster\/\S+ edit: .*unhealthyNodeTimeout = ""$/,
      'an empty duration means none where it is not set',
    ],
  ],
};
