// The default theme of VitePress without its web fonts: a page loads nothing from elsewhere. Tabs
// keep the language that was chosen last.
import DefaultTheme from 'vitepress/theme-without-fonts';
import { useChosenLanguage } from './languages.js';
import './site.css';

export default { extends: DefaultTheme, setup: useChosenLanguage };
