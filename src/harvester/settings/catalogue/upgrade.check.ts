import { Duration } from 'cdk8s';
import { StaticCall, call, unless } from '../../../core/draft/draft';
import { durationOf } from '../../../core/draft/durations';
import {
  atoi,
  BOOL,
  GoType,
  INT,
  pointer,
  slice,
  STRING,
  goStruct,
  unmarshal,
} from '../../../core/go/go-json';
import { Problem } from '../../../core/problem/problem';
import { grouped } from '../../../core/text/values';
import type { IHarvesterNode } from '../../node/node-ref';
import {
  SETTINGS_GO,
  VALIDATOR,
  decoded,
  json,
  settingEntry,
  webAddress,
  words,
} from '../entry/setting-entry.check';
import { ReferTo, readBoolean, readJson, readText } from '../entry/setting-text.facts';
import { SettingContext } from '../entry/setting.facts';

/** Options of a parallel preload. */
export interface ParallelPreloadOptions {
  /** The number of nodes that load images at the same time. @default - all nodes */
  readonly concurrency?: number;
}

/** How the nodes get the images of a release before an upgrade. */
export class ImagePreload {
  /** One node after the other. */
  public static sequential(): ImagePreload {
    return new ImagePreload({ type: 'sequential' });
  }

  /** No preload: each node pulls images when it needs them. Not for production. */
  public static skip(): ImagePreload {
    return new ImagePreload({ type: 'skip' });
  }

  /** Several nodes at the same time. */
  public static parallel(options: ParallelPreloadOptions = {}): ImagePreload {
    return new ImagePreload({ type: 'parallel', concurrency: options.concurrency ?? 0 });
  }

  private constructor(private readonly strategy: { readonly [key: string]: unknown }) {}

  /** @internal */
  public _toStrategy(): { readonly [key: string]: unknown } {
    return this.strategy;
  }
}

/** Options of an upgrade that pauses. */
export interface ManualUpgradeOptions {
  /** The nodes before which the upgrade pauses. @default - all nodes */
  readonly nodes?: IHarvesterNode[];
}

/** Pauses between the nodes of an upgrade. Needs Harvester 1.7.0. */
export class NodeUpgrade {
  /** No pause. */
  public static auto(): NodeUpgrade {
    return new NodeUpgrade('auto');
  }

  /** A pause before nodes, until a user resumes the upgrade. */
  public static manual(options: ManualUpgradeOptions = {}): NodeUpgrade {
    return new NodeUpgrade('manual', options.nodes);
  }

  private constructor(
    private readonly mode: string,
    /** @internal */
    public readonly _nodes?: readonly IHarvesterNode[],
  ) {}

  /** @internal */
  public _toStrategy(): { readonly [key: string]: unknown } {
    return { mode: this.mode, pauseNodes: this._nodes?.map(({ name }) => name) };
  }
}

/**
 * Options of Harvester upgrades.
 * @see https://docs.harvesterhci.io/v1.7/advanced/index#upgrade-config
 */
export interface UpgradeConfigProps {
  /**
   * How nodes load the images of the new version before the upgrade.
   * @default ImagePreload.sequential()
   */
  readonly imagePreload?: ImagePreload;
  /** Needs Harvester 1.7.0. @default - no pause between nodes */
  readonly nodeUpgrade?: NodeUpgrade;
  /** Whether virtual machines that cannot migrate are stopped and started again. @default false */
  readonly restoreVm?: boolean;
  /**
   * How long Harvester waits for the log of the upgrade, 1 to 20 minutes. Needs Harvester 1.7.0.
   * @default - 5 minutes
   */
  readonly logReadyTimeout?: Duration;
}

/**
 * A value of upgrade-config.
 * @see harvester/harvester:pkg/settings/settings_helper.go UpgradeConfig
 */
interface UpgradeConfig {
  readonly imagePreloadOption: {
    readonly strategy: { readonly type: string; readonly concurrency: number };
  };
  readonly restoreVM: boolean;
  readonly logReadyTimeout?: string;
  readonly nodeUpgradeOption?: { readonly strategy?: NodeStrategy };
}

interface NodeStrategy {
  readonly mode?: string;
  readonly pauseNodes?: readonly string[];
}

const FORMAT =
  '{"imagePreloadOption":{"strategy":{"type":"sequential"}},"nodeUpgradeOption":{"strategy":{"mode":"auto"}},"restoreVM":false,"logReadyTimeout":"5"}';
const PRELOADS = ['skip', 'sequential', 'parallel'];
const MODES = ['auto', 'manual'];

/**
 * The version that knows nodeUpgradeOption and logReadyTimeout.
 * @see harvester/docs:versioned_docs/version-v1.7/advanced/settings.md
 */
const NODE_UPGRADE_SINCE = '1.7.0';

function upgradeType(context: SettingContext): GoType {
  const early = {
    imagePreloadOption: goStruct({ strategy: goStruct({ type: STRING, concurrency: INT }) }),
    restoreVM: BOOL,
  };
  return goStruct(
    context.atLeast(NODE_UPGRADE_SINCE) === false
      ? early
      : {
          ...early,
          logReadyTimeout: STRING,
          nodeUpgradeOption: pointer(
            goStruct({
              strategy: pointer(goStruct({ mode: pointer(STRING), pauseNodes: slice(STRING) })),
            }),
          ),
        },
  );
}

function checkUpgrade(config: UpgradeConfig): Problem[] {
  const { type, concurrency } = config.imagePreloadOption.strategy;
  const problems: Problem[] = [];
  if (!PRELOADS.includes(type)) {
    problems.push({
      path: 'value.imagePreloadOption.strategy.type',
      value: type,
      message: `must be given, as one of ${PRELOADS.join(', ')}`,
      fix: `give one of ${PRELOADS.join(', ')}`,
      says: `invalid image preload strategy type: ${type}`,
    });
  }
  if (concurrency < 0) {
    problems.push({
      path: 'value.imagePreloadOption.strategy.concurrency',
      value: concurrency,
      message: 'must be a number of nodes of 0 or more',
      fix: 'give the number of nodes, 0 for all',
      says: `invalid image preload concurrency: ${concurrency}`,
    });
  }
  return [...problems, ...checkNodes(config), ...checkTimeout(config)];
}

function checkNodes({ nodeUpgradeOption }: UpgradeConfig): Problem[] {
  const strategy = nodeUpgradeOption?.strategy;
  // without a mode the server ignores everything else
  if (strategy?.mode === undefined) {
    return [];
  }
  const { mode, pauseNodes = [] } = strategy;
  const path = 'value.nodeUpgradeOption.strategy';
  if (!MODES.includes(mode)) {
    return [
      {
        path: `${path}.mode`,
        value: mode,
        message: `must be ${MODES.join(' or ')}`,
        fix: `give ${MODES.join(' or ')}`,
        says: `invalid node upgrade strategy mode: ${mode}`,
      },
    ];
  }
  const counts = grouped(pauseNodes, (node) => node);
  const twice = [...counts].filter(([, nodes]) => nodes.length > 1).map(([node]) => node);
  return twice.map((node) => ({
    path: `${path}.pauseNodes`,
    value: node,
    message: 'must name each node once',
    fix: 'remove the second one',
    says: `duplicate pause node names: [${twice.join(' ')}]`,
  }));
}

function checkTimeout({ logReadyTimeout = '' }: UpgradeConfig): Problem[] {
  const minutes = atoi(logReadyTimeout);
  if (logReadyTimeout === '' || (minutes !== undefined && minutes >= 1 && minutes <= 20)) {
    return [];
  }
  return [
    {
      path: 'value.logReadyTimeout',
      value: logReadyTimeout,
      message: 'must be 1 to 20 minutes, as text',
      fix: 'give "1" to "20"',
      says:
        minutes === undefined
          ? `invalid value for image preload timeout: ${logReadyTimeout}`
          : 'invalid logReadyTimeout must be between 1m0s to 20m0s minutes',
    },
  ];
}

/** The nodes at which an upgrade pauses. The server refuses names of other nodes. */
export function pausedNodes(value: string, context: SettingContext): readonly string[] {
  const strategy = decoded(unmarshal<UpgradeConfig>(value, upgradeType(context)))?.nodeUpgradeOption
    ?.strategy;
  return strategy?.mode === undefined ? [] : (strategy.pauseNodes ?? []);
}

function readPreload({
  type,
  concurrency,
}: UpgradeConfig['imagePreloadOption']['strategy']): StaticCall | undefined {
  if (type === 'sequential' || !PRELOADS.includes(type)) {
    return undefined;
  }
  return call('ImagePreload', type, ...(concurrency > 0 ? [{ concurrency }] : []));
}

function readNodeUpgrade(
  { mode = '', pauseNodes }: NodeStrategy,
  refer: ReferTo,
): StaticCall | undefined {
  if (!MODES.includes(mode)) {
    return undefined;
  }
  return call(
    'NodeUpgrade',
    mode,
    ...(pauseNodes ? [{ nodes: pauseNodes.map((name) => refer('/Node', name)) }] : []),
  );
}

/** The settings of upgrades. */
export const UPGRADE_FAMILY = {
  'upgrade-config': settingEntry<UpgradeConfigProps>({
    since: '1.4.0',
    propsSince: { nodeUpgrade: NODE_UPGRADE_SINCE, logReadyTimeout: NODE_UPGRADE_SINCE },
    what: 'how an upgrade preloads images and proceeds from node to node',
    format: FORMAT,
    default: FORMAT,
    judgesDefault: 'effective',
    print: (props) => ({
      imagePreloadOption: {
        strategy: (props.imagePreload ?? ImagePreload.sequential())._toStrategy(),
      },
      nodeUpgradeOption: props.nodeUpgrade && { strategy: props.nodeUpgrade._toStrategy() },
      restoreVM: props.restoreVm ?? false,
      logReadyTimeout:
        props.logReadyTimeout === undefined ? undefined : String(props.logReadyTimeout.toMinutes()),
    }),
    adopt: readJson(
      ({ imagePreloadOption, nodeUpgradeOption, restoreVM, logReadyTimeout }, refer) => ({
        imagePreload: readPreload(imagePreloadOption.strategy),
        nodeUpgrade: nodeUpgradeOption && readNodeUpgrade(nodeUpgradeOption.strategy, refer),
        restoreVm: unless(restoreVM, false),
        logReadyTimeout:
          logReadyTimeout === undefined ? undefined : durationOf(Number(logReadyTimeout) * 60),
      }),
    ),
    refersTo: ({ nodeUpgrade }) =>
      (nodeUpgrade?._nodes ?? []).map((node, index) => [`nodeUpgrade.nodes[${index}]`, node]),
    source: VALIDATOR,
    check: json<UpgradeConfig>({ type: upgradeType, judge: checkUpgrade }),
  }),
  'release-download-url': settingEntry<string>({
    what: 'the URL of release images',
    format: 'a URL',
    default: 'https://releases.rancher.com/harvester',
    level: 'warning',
    print: (url) => url,
    adopt: readText,
    source: SETTINGS_GO,
    check: webAddress,
  }),
  'upgradable-versions': settingEntry<never>({
    what: 'the versions that this one can be upgraded to; Harvester writes it',
    format: 'versions, separated by commas',
    source: SETTINGS_GO,
  }),
  'upgrade-checker-enabled': settingEntry<boolean>({
    what: 'whether Harvester looks for new releases',
    format: 'true or false',
    default: 'true',
    level: 'warning',
    print: String,
    adopt: readBoolean,
    source: SETTINGS_GO,
    check: words(['true', 'false'], 'any other text means false'),
  }),
  'upgrade-checker-url': settingEntry<string>({
    what: 'the URL of the upgrade responder that reports new releases',
    format: 'a URL',
    default: 'https://harvester-upgrade-responder.rancher.io/v1/checkupgrade',
    level: 'warning',
    print: (url) => url,
    adopt: readText,
    source: SETTINGS_GO,
    check: webAddress,
  }),
};
