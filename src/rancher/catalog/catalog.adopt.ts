import {
  CATALOG_KINDS,
  HARVESTER_EXTENSION,
  NO_REFRESH,
  UI_PLUGIN_NAMESPACE,
} from './catalog.kind';
import { EXTENSION_FILES, EXTENSION_SOURCE, EXTENSION_TITLE } from './harvester-extension.data';
import { extensionOf } from './ui-plugin.check';
import {
  DraftProps,
  FoundObject,
  booleanAt,
  Inverse,
  inverseOf,
  mapAt,
  numberAt,
  Surroundings,
  textAt,
  unless,
} from '../../core/draft/draft';
import { durationOf } from '../../core/draft/durations';

/** From a ClusterRepo to the construct. */
export const CLUSTER_REPO_INVERSE = inverseOf(
  'ClusterRepo',
  CATALOG_KINDS.REPOSITORY,
  (manifest) => {
    const seconds = (field: string) =>
      durationOf(numberAt(manifest, 'spec', 'exponentialBackOffValues', field));
    const [backOff, oci, secret] = ['exponentialBackOffValues', 'OCIOptions', 'clientSecret'].map(
      (field) => mapAt(manifest, 'spec', field),
    );
    const refreshInterval = numberAt(manifest, 'spec', 'refreshInterval');
    const account = textAt(manifest, 'spec', 'serviceAccount');
    const der = textAt(manifest, 'spec', 'caBundle');
    return {
      url: textAt(manifest, 'spec', 'url'),
      gitRepo: textAt(manifest, 'spec', 'gitRepo'),
      gitBranch: textAt(manifest, 'spec', 'gitBranch'),
      enabled: booleanAt(manifest, 'spec', 'enabled'),
      refreshInterval: durationOf(refreshInterval),
      automaticRefresh: refreshInterval === NO_REFRESH ? false : undefined,
      serviceAccount:
        account === undefined
          ? undefined
          : { name: account, namespace: textAt(manifest, 'spec', 'serviceAccountNamespace') ?? '' },
      clientSecret: secret && { name: secret.name, namespace: secret.namespace },
      caCertificates:
        der &&
        `-----BEGIN CERTIFICATE-----\n${der.match(/.{1,64}/g)!.join('\n')}\n-----END CERTIFICATE-----\n`,
      insecureSkipTlsVerify: booleanAt(manifest, 'spec', 'insecureSkipTLSVerify'),
      insecurePlainHttp: booleanAt(manifest, 'spec', 'insecurePlainHttp'),
      disableSameOriginCheck: booleanAt(manifest, 'spec', 'disableSameOriginCheck'),
      backOff: backOff && {
        minWait: seconds('minWait'),
        maxWait: seconds('maxWait'),
        maxRetries: numberAt(manifest, 'spec', 'exponentialBackOffValues', 'maxRetries'),
      },
      oci: oci && {
        downloadAllTags: booleanAt(manifest, 'spec', 'OCIOptions', 'downloadAllTags'),
        tagFilter: textAt(manifest, 'spec', 'OCIOptions', 'tagFilter'),
      },
    };
  },
);

/**
 * From the UIPlugin of Harvester to the construct, with the repository of the same name where it is
 * the public one.
 */
export const HARVESTER_UI_EXTENSION_INVERSE: Inverse = {
  kinds: [CATALOG_KINDS.UI_PLUGIN],
  drafts: (object, around) => {
    const { manifest } = object;
    const { name, namespace } = manifest.metadata;
    const version = textAt(manifest, 'spec', 'plugin', 'version');
    if (
      name !== HARVESTER_EXTENSION ||
      namespace !== UI_PLUGIN_NAMESPACE ||
      version === undefined
    ) {
      return [];
    }
    const repository = publicRepository(object, around);
    const [endpoint, archive] = ['endpoint', 'compressedEndpoint'].map((field) =>
      textAt(manifest, 'spec', 'plugin', field),
    );
    const isPublic = endpoint === `${EXTENSION_FILES}/${version}`;
    const hasPublicArchive =
      extensionOf(version)?.archive && archive === `${EXTENSION_FILES}/${version}.tgz`;
    const props: DraftProps = {
      version,
      displayName: unless(
        textAt(manifest, 'spec', 'plugin', 'metadata', EXTENSION_TITLE.key),
        EXTENSION_TITLE.text,
      ),
      endpoint: isPublic ? undefined : endpoint,
      compressedEndpoint: isPublic && hasPublicArchive ? undefined : archive,
      addRepository: (repository !== undefined) === isPublic ? undefined : repository !== undefined,
    };
    const draft = {
      type: 'HarvesterUiExtension',
      id: 'harvester-ui',
      isNamedById: false,
      declares: [object, ...(repository ? [repository] : [])],
    } as const;
    const { labels, annotations } = around.cleaned(object).metadata;
    return [
      { ...draft, props: { ...props, labels, annotations } },
      { ...draft, props, sharesMetadata: true },
    ];
  },
};

function publicRepository({ target }: FoundObject, around: Surroundings): FoundObject | undefined {
  const found = around
    .objects(target, CATALOG_KINDS.REPOSITORY)
    .find(({ manifest }) => manifest.metadata.name === HARVESTER_EXTENSION);
  return found &&
    Object.entries(EXTENSION_SOURCE).every(
      ([field, value]) => textAt(found.manifest, 'spec', field) === value,
    )
    ? found
    : undefined;
}
