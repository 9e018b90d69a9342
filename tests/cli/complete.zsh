#!/usr/bin/env zsh
# Prints what zsh offers where a command line ends: zsh -f tests/cli/complete.zsh LINE
#
# Another zsh, at a terminal of its own, completes; what matches is taken from its compadd.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "
	PS1= fpath=($PWD/contrib/completion \$fpath)
	autoload -Uz compinit && compinit -D -u
	compadd() {
		local -a found
		builtin compadd -O found \"\$@\"
		builtin compadd \"\$@\"
		(( \$#found )) && print -r -l -- \"<\${^found}>\"
	}
	complete-and-say() {
		zle complete-word
		print do''ne
	}
	zle -N complete-and-say
	bindkey '^I' complete-and-say
	print rea''dy"
zpty -r shell said '*ready*'
# What is typed meanwhile would end it.
zpty -n -w shell "$1"$'\t'
zpty -r shell said '*done*'
print -r -- "$said" | grep -o '<[^<>]*>' | tr -d '<>'
zpty -d shell
