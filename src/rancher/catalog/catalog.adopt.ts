import { CATALOG_KINDS, HARVESTER_EXTENSION, UI_PLUGIN_NAMESPACE } from './catalog.kind';
import { CLUSTER_REPO_FIELDS } from './cluster-repo';
import { EXTENSION_FILES, EXTENSION_SOURCE, EXTENSION_TITLE } from './harvester-extension.data';
import { extensionOf } from './ui-plugin.check';
import {
  DraftProps,
  FoundObject,
  Inverse,
  inverseOf,
  Surroundings,
  textAt,
  unless,
} from '../../core/draft/draft';

/** From a ClusterRepo to the construct. */
export const CLUSTER_REPO_INVERSE = inverseOf(
  'ClusterRepo',
  CATALOG_KINDS.REPOSITORY,
  (_, object) => CLUSTER_REPO_FIELDS.read(object),
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
