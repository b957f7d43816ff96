import { NODE_LABEL, LABEL_MANAGED_NODE, oemFileOf } from './node.kind';
import { TargetKind } from '../../core/construct/target';
import {
  DraftProps,
  Inverse,
  booleanAt,
  mapAt,
  textAt,
  unless,
  byName,
  declare,
} from '../../core/draft/draft';
import { isRecord, labelsOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { anyText } from '../../core/text/plain-text';
import { tryYaml } from '../../core/yaml/yaml-reader';
import { toYaml } from '../../core/yaml/yaml-writer';
import { descriptionProp } from '../harvester-object.adopt';

/**
 * From a Node of a Harvester to the construct that sets its zone and region. Other labels of nodes
 * are left to Harvester.
 */
export const HARVESTER_NODE_INVERSE: Inverse = {
  kinds: ['/Node'],
  drafts: (object, around) => {
    const [zone, region] = [NODE_LABEL.ZONE, NODE_LABEL.REGION].map((key) =>
      anyText(labelsOf(object.manifest)[key]),
    );
    if (
      around.cluster(object.target).kind !== TargetKind.HARVESTER ||
      (zone ?? region) === undefined
    ) {
      return [];
    }
    return declare(object, 'HarvesterNode', { zone, region }, { serverOwns: ['metadata', 'spec'] });
  },
  leftOut: (object) => {
    const labels = labelsOf(object.manifest);
    return NODE_LABEL.ZONE in labels || NODE_LABEL.REGION in labels
      ? undefined
      : 'is a machine that joined the cluster, without a zone or region';
  },
  existing: byName('HarvesterNode'),
};

/** From a CloudInit of Harvester's nodes to the construct. */
export const NODE_CLOUD_INIT_INVERSE: Inverse = {
  kinds: [`${GROUPS.HARVESTER_NODE}/CloudInit`],
  drafts: (object) => {
    const { manifest } = object;
    const { name } = manifest.metadata;
    const selector = mapAt(manifest, 'spec', 'matchSelector');
    const isEverywhere =
      JSON.stringify(selector) === JSON.stringify({ [LABEL_MANAGED_NODE]: 'true' });
    const props = {
      ...descriptionProp(object),
      ...fileProps(name, textAt(manifest, 'spec', 'contents') ?? ''),
      filename: unless(oemFileOf(textAt(manifest, 'spec', 'filename') ?? name), oemFileOf(name)),
      nodeSelector: isEverywhere ? undefined : (selector ?? {}),
      paused: unless(booleanAt(manifest, 'spec', 'paused'), false),
    };
    return declare(object, 'NodeCloudInit', props);
  },
};

/** The stages, where they are the file to the byte; otherwise the file. */
function fileProps(name: string, contents: string): DraftProps {
  const document = tryYaml(contents).documents?.[0];
  if (!isRecord(document) || !isRecord(document.stages) || typeof document.name !== 'string') {
    return { contents };
  }
  const { name: title, stages } = document;
  return toYaml({ name: title, stages }) === contents
    ? { stages: stages as DraftProps, title: unless(title, name) }
    : { contents };
}
