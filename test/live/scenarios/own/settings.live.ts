import { describeFamily } from '../../families/family';
import { SETTINGS } from '../../families/settings';

describeFamily(SETTINGS);
