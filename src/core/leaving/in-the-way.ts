import { Placed } from './leaving-groups';
import { KindRemoval } from '../kind/description/removal';
import { kindOf } from '../kind/kinds';
import { isKeptByEngine } from '../kind/retention';
import { objectLabel } from '../manifest/manifest';
import { FindingLevel } from '../rule/finding';

/** What an engine cannot do with an object that leaves. */
interface InTheWay {
  readonly level: FindingLevel;
  /** Why the server refuses something else while it exists. */
  readonly refuses: string;
  readonly fix: string;
}

/**
 * Why a server refuses a new object while the one that leaves exists, such as a pool with the same
 * addresses: engines create before they delete, and do not delete what failed before.
 */
export function inTheWay(before: Placed, come: readonly Placed[]): InTheWay | undefined {
  const unique = kindOf<KindRemoval>(before.manifest)?.unique;
  if (unique === undefined || isKeptByEngine(before.manifest)) {
    return undefined;
  }
  const refused = come.find(
    ({ target, manifest }) =>
      target === before.target &&
      kindOf<KindRemoval>(manifest)?.unique === unique &&
      unique.shared(manifest, before.manifest).length > 0,
  );
  if (!refused) {
    return undefined;
  }
  const values = unique.shared(refused.manifest, before.manifest).join(', ');
  const label = objectLabel(refused.manifest);
  return {
    level: FindingLevel.ERROR,
    refuses: `. While it exists, the server refuses ${label}, which needs ${unique.what} ${values}; engines create before they delete, so neither happens`,
    fix: `make two commits: first remove ${objectLabel(before.manifest)}, and wait until it is gone; then declare ${label}`,
  };
}
